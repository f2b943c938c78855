import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Trigger } from '../../../../client/src/index.ts';
import { useLookAgain } from '../../data/use-look-again.ts';
import { useAll, useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';

/** The mail that the tour follows stands in the address, so that it survives a reload. */
type Search = { mail?: string; subject?: string; from?: string };

const isFiltered = ({ config }: Trigger): boolean => !['', undefined].includes(config['searchFilter'] as string);

/** An agent that a mail starts, and the mailbox that it reads. */
const useResponder = () => {
  const triggers = useAll('GET /v1/triggers');
  const accounts = useAll('GET /v1/accounts', { integration: 'mail' });
  const readers = (triggers.data?.items ?? [])
    .filter(({ type, state }) => type === 'mail.new_email' && state !== 'paused')
    .map((trigger) => ({ trigger, account: accounts.data?.items.find(({ id }) => id === trigger.accountId) }));
  const able = readers.filter(
    ({ account }) => account?.state === 'connected' && account.identity.address !== undefined,
  );
  // The mail of the tour may not fit a filter.
  const found = able.find(({ trigger }) => !isFiltered(trigger)) ?? able[0];
  return {
    isPending: triggers.isPending || accounts.isPending,
    agentId: found?.trigger.agentId,
    address: found?.account?.identity.address,
    isFiltered: found !== undefined && isFiltered(found.trigger),
    /** An agent is there, but what it reads must be connected again. */
    lost: found === undefined ? readers[0]?.account : undefined,
  };
};

/** From a mail to its answer: each step is done when the data say so. */
export const useTour = () => {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { mail, subject = '', from = '' } = search;
  const responder = useResponder();
  const deliver = useWrite('POST /v1/sandbox/mail', { refresh: ['events', 'runs'] });

  const events = useRead(
    'GET /v1/events',
    { query: { upstreamId: mail ?? '', limit: 10 } },
    { enabled: mail !== undefined },
  );
  const event = events.data?.items.find(({ outcome }) => outcome === 'fired') ?? events.data?.items[0];
  useLookAgain(events.refetch, mail !== undefined && event?.runId === undefined);

  const runId = event?.runId;
  const run = useRead('GET /v1/runs/{id}', { params: { id: runId ?? '' } }, { enabled: runId !== undefined });
  const isOver = run.data !== undefined && run.data.finishedAt !== null;
  useLookAgain(run.refetch, runId !== undefined && !isOver);

  const pending = useRead(
    'GET /v1/approvals',
    { query: { status: 'pending', limit: 100 } },
    { enabled: runId !== undefined },
  );
  const approval = pending.data?.items.find((each) => each.runId === runId);
  useLookAgain(pending.refetch, run.data?.status === 'waiting_approval' && approval === undefined);

  const outbox = useRead('GET /v1/sandbox/outbox', undefined, { enabled: runId !== undefined });
  const answer = outbox.data?.items.find((each) => each.subject.includes(subject) && each.to.includes(from));
  useLookAgain(outbox.refetch, runId !== undefined && subject !== '' && answer === undefined);

  const send = async () => {
    if (responder.address === undefined) return;
    const sent = await deliver.mutateAsync({ body: { to: responder.address } });
    const { upstreamId, subject: named, from: writer } = sent;
    await navigate({
      to: '/sandbox',
      search: { mail: upstreamId, subject: named, from: writer },
      replace: true,
      resetScroll: false,
    });
  };

  return { responder, mail, subject, from, event, run: run.data, approval, answer, send, isSending: deliver.isPending };
};
