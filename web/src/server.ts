import * as z from 'zod/mini';

const Session = z.object({
  member: z.object({ email: z.string(), role: z.string() }),
  workspace: z.object({ name: z.string() }),
});
export type Session = z.infer<typeof Session>;

const Refusal = z.object({ error: z.object({ message: z.string() }) });

const unreachable = 'The server does not answer. Check that it is running, then try again.';

const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch {
    throw new Error(unreachable);
  }
};

/** Writes carry this header, which no other site's form can send. */
const write = (method: 'POST' | 'DELETE', body?: unknown): RequestInit => ({
  method,
  headers: { 'X-Switchboard-CSRF': '1', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const refusal = async (response: Response): Promise<Error> => {
  const body = Refusal.safeParse(await response.json().catch(() => undefined));
  return new Error(body.success ? body.data.error.message : `The server answered ${response.status}. Try again later.`);
};

export const readReadiness = async (): Promise<boolean> => (await ask('/readyz')).ok;

/** The member who is signed in here, or nobody. */
export const readSession = async (): Promise<Session | null> => {
  const response = await ask('/v1/session');
  if (response.status === 401) return null;
  if (!response.ok) throw await refusal(response);
  return Session.parse(await response.json());
};

export const signIn = async (email: string, password: string): Promise<void> => {
  const response = await ask('/v1/session', write('POST', { email, password }));
  if (!response.ok) throw await refusal(response);
};

export const signOut = async (): Promise<void> => {
  const response = await ask('/v1/session', write('DELETE'));
  if (!response.ok && response.status !== 401) throw await refusal(response);
};
