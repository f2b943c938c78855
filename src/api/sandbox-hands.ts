import { z } from 'zod';
import { Fault } from '#kit';
import type { faultNames } from './sandbox-contract.ts';

export type SandboxAddresses = { mail: URL; board: URL };
export type SandboxService = keyof SandboxAddresses;
export type SandboxFaultName = (typeof faultNames)[number];

/** Only calls of the service itself go wrong, never its sign-in pages. */
const api: Record<SandboxService, string> = { mail: '/v1.0', board: '/1/' };

const calm = { drop: 0, duplicate: 0, delayMs: 0, shuffle: false, pause: false };

/** What each fault is in the sandbox's own terms. Nothing else is passed on. */
const orders: Record<SandboxFaultName, (path: string) => [control: string, body: unknown]> = {
  fails_once: (path) => ['faults', { match: { path }, kind: 'status', status: 500, times: 1 }],
  refuses_once: (path) => ['faults', { match: { path }, kind: 'status', status: 429, retryAfter: 5, times: 1 }],
  answer_lost_once: (path) => ['faults', { match: { method: 'POST', path }, kind: 'accept_then', times: 1 }],
  notifications_lost: () => ['notifications', { ...calm, drop: 1 }],
  notifications_doubled: () => ['notifications', { ...calm, duplicate: 1 }],
  tokens_expire: () => ['tokens', { expire: true }],
};

const Faults = z.object({ items: z.array(z.object({ kind: z.string(), status: z.number().optional() })) });
const Notifications = z.object({ drop: z.number().optional(), duplicate: z.number().optional() });
const Delivered = z.object({ immutableId: z.string() });
const Outbox = z.object({
  items: z.array(
    z.object({ id: z.string(), from: z.string(), to: z.array(z.string()), subject: z.string(), sentAt: z.string() }),
  ),
});

const nameOf = ({ kind, status }: { kind: string; status?: number | undefined }): SandboxFaultName => {
  if (kind === 'accept_then') return 'answer_lost_once';
  return status === 429 ? 'refuses_once' : 'fails_once';
};

const mostShown = 50;

/** Our hands in the sandbox: a closed list of what its `/_control` may be told. */
export const sandboxHands = (at: SandboxAddresses) => {
  const control = async (service: SandboxService, path: string, method = 'GET', body?: unknown): Promise<unknown> => {
    const answer = await fetch(new URL(`/_control/${path}`, at[service]), {
      method,
      signal: AbortSignal.timeout(5_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }).catch(() => undefined);
    if (answer === undefined) throw new Fault('upstream_unavailable', 'The sandbox does not answer. Is it running?');
    const said: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) return said;
    const reason = z.object({ error: z.string() }).safeParse(said);
    throw new Fault('upstream_rejected', `The sandbox refused: ${reason.data?.error ?? answer.status}`);
  };

  return {
    present: async (service: SandboxService): Promise<SandboxFaultName[]> => {
      const [faults, { drop = 0, duplicate = 0 }] = await Promise.all([
        control(service, 'faults').then((said) => Faults.parse(said).items.map(nameOf)),
        control(service, 'notifications').then((said) => Notifications.parse(said)),
      ]);
      return [
        ...faults,
        ...(drop > 0 ? (['notifications_lost'] as const) : []),
        ...(duplicate > 0 ? (['notifications_doubled'] as const) : []),
      ];
    },

    cause: async (service: SandboxService, fault: SandboxFaultName): Promise<void> => {
      const [path, body] = orders[fault](api[service]);
      await control(service, path, 'POST', body);
    },

    calm: async (service: SandboxService): Promise<void> => {
      await control(service, 'faults', 'DELETE');
      await control(service, 'notifications', 'POST', calm);
    },

    deliver: async (mail: { from: string; to: string; subject: string; body: string }): Promise<string> =>
      Delivered.parse(await control('mail', 'deliver', 'POST', mail)).immutableId,

    outbox: async () => {
      const { items } = Outbox.parse(await control('mail', 'outbox'));
      return items
        .slice(-mostShown)
        .toReversed()
        .map(({ sentAt, ...mail }) => ({ ...mail, sentAt: new Date(sentAt) }));
    },
  };
};
