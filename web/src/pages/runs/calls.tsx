import { EffectBadge } from '../../ui/badge.tsx';
import { duration } from '../../ui/duration.ts';
import { shortPath } from '../../ui/short-path.ts';
import { VisibleText } from '../../ui/visible-text.tsx';

/** One request to a service, as the journal keeps it. */
export type CallRecord = {
  method?: string;
  path?: string;
  effect?: string;
  status?: number;
  ms?: number;
  effectId?: string;
  requestId?: string;
  replayed?: boolean;
  found?: boolean;
  fault?: string;
};

const Fact = ({ name, value }: { name: string; value: string | undefined }) =>
  value !== undefined && (
    <div className="flex flex-wrap gap-x-2">
      <dt>{name}</dt>
      <dd className="font-mono break-all text-ink">
        <VisibleText text={value} />
      </dd>
    </div>
  );

/** One line; unfolded, with the long ids of the service and ours. */
const Call = ({ call }: { call: CallRecord }) => {
  const { method = '', path = '', effect, status, ms, effectId, requestId, replayed, found, fault } = call;
  return (
    <details>
      <summary className="cursor-pointer py-1">
        <span className="inline-flex max-w-[calc(100%-1.25rem)] flex-wrap items-center gap-x-2.5 gap-y-1 align-middle">
          <span className="font-mono text-ink [overflow-wrap:anywhere]">
            <VisibleText text={`${method} ${shortPath(path)}`} />
          </span>
          {effect !== undefined && <EffectBadge effect={effect} />}
          {status !== undefined && <span className={status >= 400 ? 'text-bad' : ''}>{status}</span>}
          {ms !== undefined && <span>{duration(ms)}</span>}
          {fault !== undefined && <span className="text-bad">{fault.replaceAll('_', ' ')}</span>}
          {replayed === true && <span>known from before, not called again</span>}
          {found === true && <span>found at the service afterwards</span>}
        </span>
      </summary>
      <dl className="grid gap-1 pt-1 pb-2 pl-4">
        <Fact name="Path" value={path} />
        <Fact name="Request id at the service" value={requestId} />
        <Fact name="Effect" value={effectId} />
      </dl>
    </details>
  );
};

/** What was asked of the service, and how it answered. */
export const Calls = ({ calls }: { calls: CallRecord[] }) => (
  <ul aria-label="Requests to the service" className="grid gap-1 text-xs text-muted">
    {calls.map((call, at) => (
      <li key={at}>
        <Call call={call} />
      </li>
    ))}
  </ul>
);
