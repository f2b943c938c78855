import type { Planned, SendView } from '#kit';
import { shownRequest } from './digest.ts';

/** Where a service has no view of its own, its requests are shown as they are. */
export const plainView = (planned: readonly Planned[]): SendView => {
  const requests = planned.map(shownRequest);
  const [only, ...others] = requests;
  const fields = others.length === 0 ? { query: only?.query, body: only?.body } : { requests };
  return { kind: 'request', to: [], cc: [], bcc: [], replyTo: [], attachments: [], fields, warnings: [] };
};
