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

/** Without the long ids of the service; unfolded, with them. */
const Request = ({ method, path }: { method: string; path: string }) => {
  const short = shortPath(path);
  if (short === path) return <VisibleText text={`${method} ${path}`} />;
  return (
    <details>
      <summary className="min-h-8 cursor-pointer py-2">
        <VisibleText text={`${method} ${short}`} />
      </summary>
      <span className="break-all text-muted">
        <VisibleText text={path} />
      </span>
    </details>
  );
};

/** What was asked of the service, and how it answered. */
export const Calls = ({ calls }: { calls: CallRecord[] }) => (
  <ul aria-label="Requests to the service" className="grid gap-2">
    {calls.map(({ method = '', path = '', effect, status, ms, effectId, requestId, replayed, found, fault }, at) => (
      <li key={at} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs text-muted">
        {effect !== undefined && <EffectBadge effect={effect} />}
        {status !== undefined && <span className={status >= 400 ? 'text-bad' : ''}>{status}</span>}
        {ms !== undefined && <span>{duration(ms)}</span>}
        {fault !== undefined && <span className="text-bad">{fault.replaceAll('_', ' ')}</span>}
        {replayed === true && <span>known from before, not called again</span>}
        {found === true && <span>found at the service afterwards</span>}
        {requestId !== undefined && <span className="font-mono">{requestId}</span>}
        {effectId !== undefined && <span className="font-mono">{effectId}</span>}
        <span className="w-full min-w-0 font-mono text-ink">
          <Request method={method} path={path} />
        </span>
      </li>
    ))}
  </ul>
);
