import { type CallToolResult, CLIENT_CAPABILITIES_META_KEY, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';

const Opens = z.looseObject({ elicitation: z.looseObject({ url: z.looseObject({}) }) });

/** Whether the client can lead its user to a page and come back. Only those since 2026-07-28 can. */
export const opensPages = (envelope: Readonly<Record<string, unknown>> | undefined): boolean =>
  Opens.safeParse(envelope?.[CLIENT_CAPABILITIES_META_KEY]).success;

const Pending = z.looseObject({
  status: z.literal('waiting_approval'),
  runId: z.string(),
  approval: z.looseObject({ url: z.string() }),
});

/**
 * Instead of a handle to ask with: the client shows the page on which a person decides, and asks again afterwards with the
 * run's id. The id opens nothing that its holder could not ask for anyway.
 */
export const leadToPage = (result: CallToolResult) => {
  const pending = Pending.safeParse(result.structuredContent).data;
  if (pending === undefined) return result;
  const message = 'This waits for approval. Open the page to see exactly what would be sent, and decide there.';
  const approval = inputRequired.elicitUrl({ message, url: pending.approval.url });
  return inputRequired({ inputRequests: { approval }, requestState: pending.runId });
};
