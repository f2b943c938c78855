import type { ToolDryRun } from '../../../../client/src/index.ts';
import { useStepTitle } from '../../data/use-steps.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { Json } from '../../ui/code.tsx';
import { IntegrationIcon } from './integration-icon.tsx';

type Played = ToolDryRun['steps'][number];

/** Method and address as they would go over the wire. */
const lineOf = ({ method, path, query }: Record<string, unknown>): string => {
  const search = new URLSearchParams(
    Object.entries((query as Record<string, unknown> | undefined) ?? {}).map(([name, value]) => [name, String(value)]),
  ).toString();
  return `${String(method)} ${String(path)}${search === '' ? '' : `?${search}`}`;
};

const Request = ({ request, name }: { request: Record<string, unknown>; name: string }) => {
  const { headers, body, content } = request;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="untrusted rounded-lg bg-sunken px-3 py-2 font-mono text-xs">{lineOf(request)}</p>
      {headers !== undefined && Object.keys(headers as object).length > 0 && (
        <Json value={headers} label={`Headers of ${name}`} />
      )}
      {(body ?? content) !== undefined && <Json value={body ?? content} label={`Body of ${name}`} />}
    </div>
  );
};

const PlayedStep = ({ step, title }: { step: Played; title: string }) => (
  <li aria-label={`Dry run of ${title}`} className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-line pt-3">
    <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
      <IntegrationIcon of={step.step} />
      {title}
      {step.effect === null ? (
        <Badge>{step.needs.length > 0 ? 'not known yet' : 'reads'}</Badge>
      ) : (
        <EffectBadge effect={step.effect} />
      )}
    </p>
    <p className="text-xs text-muted">
      As <span className="untrusted">{step.account.name}</span>
    </p>
    {step.request !== null && <Request request={step.request} name={title} />}
    {step.request === null && step.needs.length === 0 && (
      <p className="text-sm text-muted">It only reads, and did so: nothing would be written.</p>
    )}
    {step.needs.length > 0 && (
      <p className="text-sm text-muted">
        What it would send depends on <span className="font-mono text-xs">{step.needs.join(', ')}</span>, which only a
        real run has.
      </p>
    )}
  </li>
);

/** The exact first write of each step, none of which was made. */
export const DryRunView = ({ steps }: { steps: readonly Played[] }) => {
  const titleOf = useStepTitle();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="text-sm">
        <Badge tone="info">Dry run</Badge> Nothing was written or sent. These are the exact requests.
      </p>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {steps.map((step) => (
          <PlayedStep key={step.key} step={step} title={titleOf(step.step)} />
        ))}
      </ol>
    </div>
  );
};
