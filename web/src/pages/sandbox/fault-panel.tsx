import { useState } from 'react';
import type { SandboxFault } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';
import { useWrite } from '../../data/use-write.ts';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/states.tsx';

type Service = SandboxFault['service'];
type Name = SandboxFault['fault'];

const services: readonly [Service, string][] = [
  ['mail', 'Mail'],
  ['board', 'Boards'],
];

/** What can go wrong, and what Switchboard should do about it. */
const faults: readonly [Name, string, string][] = [
  [
    'fails_once',
    'The next call fails',
    'It answers 500. Reads are tried again; a write is looked for before anything is repeated.',
  ],
  ['refuses_once', 'The next call is one too many', 'It answers 429 with “wait 5 seconds”, and the wait is kept.'],
  [
    'answer_lost_once',
    'The next write is done, but its answer is lost',
    'The service does the work, then hangs up. Switchboard looks whether it happened, so nothing happens twice.',
  ],
  [
    'notifications_lost',
    'Notifications are lost',
    'Until you end it. Events are found by looking, and start their agents a little later.',
  ],
  ['notifications_doubled', 'Notifications come twice', 'Until you end it. Each event still starts its agent once.'],
  [
    'tokens_expire',
    'Access tokens expire now',
    'Accounts that were signed in renew themselves; an API key + token must be connected again.',
  ],
];

const titleOf = (name: Name): string => faults.find(([each]) => each === name)?.[1] ?? name;

/** Lets things go wrong at the sandbox, to see that nothing is lost or done twice. */
export const FaultPanel = () => {
  const [service, setService] = useState<Service>('mail');
  const present = useRead('GET /v1/sandbox/faults');
  const cause = useWrite('POST /v1/sandbox/faults', { refresh: ['sandbox', 'accounts'], done: 'Done.' });
  const now = present.data?.items ?? [];
  return (
    <Section
      title="Let something go wrong"
      about="Real services fail. Choose how, then watch runs and events: nothing may be lost or done twice."
    >
      <div className="card grid gap-5 p-5">
        <div role="group" aria-label="Service" className="flex gap-2">
          {services.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={service === name}
              className={`button ${service === name ? 'button-main' : 'button-quiet'}`}
              onClick={() => setService(name)}
            >
              {title}
            </button>
          ))}
        </div>
        <ul className="grid gap-px overflow-hidden rounded-xl border border-line bg-line md:grid-cols-2">
          {faults.map(([fault, title, about]) => (
            <li key={fault} className="flex items-center gap-4 bg-raised p-4 text-sm">
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{title}</span>
                <span className="block text-xs text-muted">{about}</span>
              </span>
              <button
                type="button"
                className="button button-quiet shrink-0"
                aria-label={`Cause: ${title}`}
                disabled={cause.isPending}
                onClick={() => cause.mutate({ body: { service, fault } })}
              >
                Cause
              </button>
            </li>
          ))}
        </ul>
        <Problem error={present.error} retry={() => void present.refetch()} />
        <div role="status" className="grid gap-3 text-sm">
          {now.length === 0 ? (
            <p className="text-muted">Nothing goes wrong at the moment.</p>
          ) : (
            services.map(([name, title]) => {
              const own = now.filter((each) => each.service === name);
              if (own.length === 0) return null;
              return (
                <div key={name} className="flex flex-wrap items-center gap-2">
                  <span className="font-medium">{title}:</span>
                  {own.map(({ fault }, index) => (
                    <Badge key={`${fault} ${index}`} tone="warn">
                      {titleOf(fault)}
                    </Badge>
                  ))}
                  <button
                    type="button"
                    className="button button-quiet"
                    disabled={cause.isPending}
                    onClick={() => cause.mutate({ body: { service: name, fault: 'none' } })}
                  >
                    End all of {title}
                  </button>
                </div>
              );
            })
          )}
        </div>
      </div>
    </Section>
  );
};
