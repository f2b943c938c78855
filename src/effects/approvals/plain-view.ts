import type { Planned, SendView } from '#kit';
import { shownRequest } from './digest.ts';

/** Where a service has no view of its own, its requests are shown as they are. */
export const plainView = (planned: readonly Planned[]): SendView => {
  const requests = planned.map(shownRequest);
  const [only, ...others] = requests;
  const { method, path, ...rest } = only ?? {};
  // Without method and path, removing somebody from a board reads as inviting them does.
  const fields = others.length === 0 ? { method, path, ...rest } : { requests };
  return { kind: 'request', to: [], cc: [], bcc: [], replyTo: [], attachments: [], fields, warnings: [] };
};
