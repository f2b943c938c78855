import type { ReactNode } from 'react';
import type { Integration } from '../../../../client/src/index.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';

type Offer = { id: string; title: string; purpose: string; mark: ReactNode };

const Offers = ({ title, offers }: { title: string; offers: readonly Offer[] }) => (
  <section aria-label={title} className="grid content-start gap-2">
    <h3 className="text-sm text-muted">{title}</h3>
    <ul className="grid gap-2.5">
      {offers.map(({ id, title: name, purpose, mark }) => (
        <li key={id} className="grid gap-0.5">
          <span className="flex flex-wrap items-center gap-2 font-medium">
            {name} {mark}
          </span>
          <span className="text-xs text-muted">{purpose}</span>
        </li>
      ))}
    </ul>
  </section>
);

/** Every step and trigger of an integration, by its groups. */
export const WhatItOffers = ({ integration: { steps, triggers } }: { integration: Integration }) => (
  <details>
    <summary className="link w-fit cursor-pointer py-2">All of them</summary>
    <div className="mt-3 mb-2 grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-6 sm:grid-cols-2">
      {[...Map.groupBy(steps, ({ group }) => group)].map(([group, found]) => (
        <Offers
          key={group}
          title={group}
          offers={found.map((step) => ({ ...step, mark: <EffectBadge effect={step.effect} /> }))}
        />
      ))}
      <Offers
        title="Triggers"
        offers={triggers.map((trigger) => ({ ...trigger, mark: trigger.instant && <Badge>instant</Badge> }))}
      />
    </div>
  </details>
);
