import { Link } from '@tanstack/react-router';
import {
  Bot,
  CircleCheck,
  CircleDot,
  CircleX,
  Hand,
  type LucideIcon,
  MessageSquareText,
  PencilLine,
  Play,
  Send,
  Settings2,
  Wrench,
} from 'lucide-react';
import type { Run } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { Json } from '../../ui/code.tsx';
import { duration } from '../../ui/duration.ts';
import { shortPath } from '../../ui/short-path.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { type CallRecord, Calls } from './calls.tsx';

type JournalEntry = Run['journal'][number];
type Look = { icon: LucideIcon; title: string; tone?: string; id?: string };

const word = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const lookOf = ({ kind, data }: JournalEntry, titleOf: (stepId: string) => string): Look => {
  const looks: Record<string, Look> = {
    started: { icon: Play, title: 'Started' },
    prepared: { icon: Settings2, title: `Prepared: ${word(data['model']) || word(data['host']) || 'tools chosen'}` },
    turn: { icon: MessageSquareText, title: `Turn ${word(data['turn'])} of the model` },
    tool: { icon: Wrench, title: `Answer to the call of ${word(data['name']) || word(data['toolId']) || 'a tool'}` },
    step: {
      icon: CircleDot,
      title: titleOf(word(data['stepId'])),
      id: [data['key'], data['stepId']].map(word).filter(Boolean).join(' · '),
    },
    call: { icon: Send, title: `${word(data['method'])} ${shortPath(word(data['path']))}`.trim() || 'Called' },
    waiting_approval: { icon: Hand, title: 'Asked for approval', tone: 'text-warn' },
    edited: { icon: PencilLine, title: 'A person changed the input before approving it' },
    delivered: { icon: Bot, title: 'Handed to the other platform' },
    not_delivered: { icon: CircleX, title: 'Could not be handed over', tone: 'text-bad' },
    finished: { icon: CircleCheck, title: 'Finished', tone: 'text-good' },
    failed: { icon: CircleX, title: 'Failed', tone: 'text-bad' },
    cancelled: { icon: CircleX, title: 'Cancelled', tone: 'text-muted' },
  };
  return looks[kind] ?? { icon: CircleDot, title: kind.replaceAll('_', ' ') };
};

const Bar = ({ ms, longest }: { ms: number; longest: number }) => (
  <span className="flex items-center gap-2 text-xs text-muted">
    <span aria-hidden="true" className="h-1.5 w-24 overflow-hidden rounded-full bg-sunken max-sm:hidden">
      <span
        className="block h-full rounded-full bg-accent"
        style={{ width: `${Math.max(2, Math.round((ms / longest) * 100))}%` }}
      />
    </span>
    <span className="min-w-14 text-right tabular-nums">{duration(ms)}</span>
  </span>
);

const Fold = ({ title, value }: { title: string; value: unknown }) => (
  <details>
    <summary className="min-h-8 cursor-pointer py-1 text-xs text-muted">{title}</summary>
    <Json value={value} label={title} />
  </details>
);

const errorOf = (data: JournalEntry['data']): { code: string; message: string } | undefined => {
  const { error } = data as { error?: { code?: unknown; message?: unknown } };
  if (typeof error !== 'object' || error === null) return undefined;
  return { code: word(error.code), message: word(error.message) };
};

type AskedCall = { n: number; name: string; arguments: string };

const argumentsOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** What an entry says, by its kind. Everything in it is text of others. */
const Details = ({ entry: { kind, data }, isLast }: { entry: JournalEntry; isLast: boolean }) => {
  const error = errorOf(data);
  const asked = kind === 'turn' && Array.isArray(data['calls']) ? (data['calls'] as AskedCall[]) : [];
  const calls = kind !== 'turn' && Array.isArray(data['calls']) ? (data['calls'] as CallRecord[]) : [];
  const text = kind === 'turn' ? word(data['text']) : '';
  return (
    <div className="grid gap-1.5">
      {text !== '' && (
        <p className="text-sm">
          <VisibleText text={text} />
        </p>
      )}
      {asked.map(({ n, name, arguments: given }) => (
        <Fold key={n} title={`Calls ${name}`} value={argumentsOf(given)} />
      ))}
      {kind === 'turn' && (
        <p className="text-xs text-muted">
          {word(data['model'])} · {word(data['inputTokens'])} tokens in, {word(data['outputTokens'])} out
        </p>
      )}
      {error !== undefined && (
        <p className="text-sm text-bad">
          <VisibleText text={error.message} /> <span className="text-xs">({error.code.replaceAll('_', ' ')})</span>
        </p>
      )}
      {kind === 'waiting_approval' && (
        <p className="text-sm">
          <Link to="/approvals/$id" params={{ id: word(data['approvalId']) }} className="link">
            {isLast ? 'See what it wants to send' : 'See what it asked for, and who decided'}
          </Link>
        </p>
      )}
      {kind === 'call' && 'status' in data && <Calls calls={[data]} />}
      {calls.length > 0 && <Calls calls={calls} />}
      {'input' in data && <Fold title={'edited' in data ? 'Input as asked' : 'Input'} value={data['input']} />}
      {'edited' in data && <Fold title="Input as a person edited it" value={data['edited']} />}
      {'output' in data && <Fold title="Output" value={data['output']} />}
      {kind === 'prepared' && <Fold title="With what" value={data} />}
    </div>
  );
};

export const Entry = (props: { entry: JournalEntry; begun: string; longest: number; isLast: boolean }) => {
  const { entry, begun, longest, isLast } = props;
  const { icon: Icon, title, tone = 'text-muted', id } = lookOf(entry, useStepTitle());
  const ms = entry.data['ms'];
  const after = Math.max(0, Date.parse(entry.at) - Date.parse(begun));
  return (
    <li className="row-lazy grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-3">
      <Icon aria-hidden="true" className={`mt-0.5 size-4 ${tone}`} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <h3 className="min-w-0 text-sm font-medium">
            <VisibleText text={title} />
            {id !== undefined && <span className="ml-2 font-mono text-xs font-normal text-muted">{id}</span>}
          </h3>
          <span className="flex items-center gap-3">
            {typeof ms === 'number' && <Bar ms={ms} longest={longest} />}
            <time dateTime={entry.at} className="min-w-16 text-right text-xs text-muted tabular-nums">
              +{duration(after)}
            </time>
          </span>
        </div>
        <Details entry={entry} isLast={isLast} />
      </div>
    </li>
  );
};
