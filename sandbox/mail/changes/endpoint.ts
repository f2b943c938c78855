import { Agent, fetch } from 'undici';

/** The sandbox talks to this machine only, and takes its self-made certificates. */
const agent = new Agent({ connect: { rejectUnauthorized: false }, keepAliveTimeout: 1000 });

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** https anywhere else; on loopback http will do. */
export const isReachable = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (protocol === 'https:' || protocol === 'http:') && loopback.test(hostname);
};

export const postTo = async (
  address: string,
  contentType: string,
  body: string,
  timeoutMs: number,
): Promise<{ status: number; contentType: string; text: string }> => {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': contentType, 'User-Agent': 'sandbox-notifications' },
    body,
    dispatcher: agent,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = (await response.text()).slice(0, 10_000);
  return { status: response.status, contentType: response.headers.get('content-type') ?? '', text };
};
