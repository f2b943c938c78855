import { Link } from '@tanstack/react-router';
import { Check, ExternalLink, LoaderCircle, MailPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { StateBadge } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useTour } from './use-tour.ts';

type State = 'done' | 'now' | 'later';

const marks: Record<State, string> = {
  done: 'bg-good-soft text-good',
  now: 'bg-accent-strong text-white',
  later: 'bg-sunken text-muted',
};
const words: Record<State, string> = { done: 'Done', now: 'Next', later: 'Later' };

const Step = (props: { number: number; state: State; title: string; children: ReactNode }) => {
  const { number, state, title, children } = props;
  return (
    <li className="flex gap-4 p-4 sm:p-5" aria-current={state === 'now' ? 'step' : undefined}>
      <span className={`grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold ${marks[state]}`}>
        {state === 'done' ? <Check aria-hidden="true" className="size-4" /> : number}
        <span className="sr-only">{words[state]}</span>
      </span>
      <div className={`grid min-w-0 flex-1 gap-2 pt-1 text-sm ${state === 'later' ? 'text-muted' : ''}`}>
        <h3 className="text-sm">{title}</h3>
        {children}
      </div>
    </li>
  );
};

const Waiting = ({ children }: { children: ReactNode }) => (
  <p className="flex items-center gap-2 text-muted">
    <LoaderCircle aria-hidden="true" className="size-4 animate-spin text-accent" />
    {children}
  </p>
);

/** A guided tour that ticks itself off from what really happened. */
export const Tour = ({ mailbox }: { mailbox: string }) => {
  const { responder, mail, subject, from, event, run, approval, answer, send, isSending } = useTour();
  const hasAgent = responder.address !== undefined;
  const started = event?.runId !== undefined;
  const decided = run?.status === 'succeeded';
  const ended = run !== undefined && ['failed', 'cancelled'].includes(run.status);
  const stateOf = (done: boolean, before: boolean): State => (done ? 'done' : before ? 'now' : 'later');
  return (
    <Section title="Guided tour" about="From an incoming mail to its answer, in about a minute.">
      <ol className="card divide-y divide-line" aria-label="Guided tour">
        <Step number={1} state={stateOf(hasAgent, true)} title="An agent answers mail">
          {hasAgent ? (
            <p className="text-muted">
              <Link to="/agents/$id" params={{ id: responder.agentId ?? '' }} className="link">
                This agent
              </Link>{' '}
              starts whenever a mail {responder.isFiltered && 'that fits its filter '}arrives for {responder.address}.
            </p>
          ) : responder.isPending ? (
            <Waiting>Looking for an agent …</Waiting>
          ) : responder.lost !== undefined ? (
            <p className="text-muted">
              The mailbox that the agent reads is not connected any more.{' '}
              <Link to="/integrations/mail" search={{ account: responder.lost.id }} className="link">
                Reconnect {responder.lost.name}
              </Link>
            </p>
          ) : (
            <p className="text-muted">
              No agent is started by mail yet.{' '}
              <Link to="/agents/new" className="link">
                Make one
              </Link>{' '}
              from a template, with a connected sandbox mailbox.
            </p>
          )}
        </Step>
        <Step number={2} state={stateOf(mail !== undefined, hasAgent)} title="Send yourself a mail">
          {mail === undefined ? (
            <p className="text-muted">A customer asks about an order. The mail arrives in the sandbox mailbox.</p>
          ) : (
            <p className="text-muted">
              {from} wrote: <span className="untrusted text-ink">“{subject}”</span>
            </p>
          )}
          {hasAgent && (
            <button
              type="button"
              className={`button justify-self-start ${mail === undefined ? 'button-main' : 'button-quiet'}`}
              disabled={isSending}
              onClick={() => void send()}
            >
              <MailPlus aria-hidden="true" className="size-4" />
              {mail === undefined ? 'Send the mail' : 'Send another mail'}
            </button>
          )}
        </Step>
        <Step number={3} state={stateOf(started, mail !== undefined)} title="Watch the agent start">
          {mail !== undefined && event === undefined && <Waiting>The notification is on its way …</Waiting>}
          {event !== undefined && !started && (
            <p className="text-warn">
              It arrived and started nothing.{' '}
              <Link to="/events/$id" params={{ id: event.id }} className="link">
                See why
              </Link>
            </p>
          )}
          {started && run !== undefined && (
            <p className="flex flex-wrap items-center gap-3">
              <StateBadge state={run.status} />
              <Link to="/runs/$id" params={{ id: run.id }} className="link">
                Follow the run
              </Link>
            </p>
          )}
        </Step>
        <Step number={4} state={stateOf(decided, started && !ended)} title="Approve the answer">
          <p className="text-muted">The agent may not send alone: you see exactly what would leave, and decide.</p>
          {approval !== undefined && (
            <Link to="/approvals/$id" params={{ id: approval.id }} className="button button-main justify-self-start">
              Look at it and decide
            </Link>
          )}
          {ended && <p className="text-warn">The run ended without an answer. Send another mail to try again.</p>}
        </Step>
        <Step number={5} state={stateOf(answer !== undefined, decided)} title="See the answer arrive">
          {answer === undefined ? (
            <p className="text-muted">After your approval the answer is in the mailbox of whoever asked.</p>
          ) : (
            <>
              <p>
                <span className="untrusted">“{answer.subject}”</span> left {answer.from} for {answer.to.join(', ')}{' '}
                <Time at={answer.sentAt} />.
              </p>
              <a className="link inline-flex items-center gap-1.5" href={mailbox} target="_blank" rel="noreferrer">
                Read it in the sandbox mailbox <ExternalLink aria-label="(opens a new tab)" className="size-3.5" />
              </a>
              <p className="text-muted">
                There, sign in as {from}. Then try the faults below, and send another mail: the answer still leaves
                once.
              </p>
            </>
          )}
        </Step>
      </ol>
    </Section>
  );
};
