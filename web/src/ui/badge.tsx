import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain' | 'accent';

const tones: Record<Tone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  plain: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent',
};

export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={`inline-flex max-w-full min-w-fit items-center gap-1 rounded-xl px-2 py-0.5 text-xs font-medium wrap-anywhere ${tones[tone]}`}
  >
    {children}
  </span>
);

/** The states of accounts, triggers, events, runs and approvals, each with its tone and its words. */
const states: Record<string, [Tone, string]> = {
  connected: ['good', 'Connected'],
  needs_reconnect: ['bad', 'Needs reconnect'],
  paused: ['warn', 'Paused'],
  disconnected: ['plain', 'Disconnected'],
  enabled: ['good', 'Enabled'],
  broken: ['bad', 'Broken'],
  fired: ['good', 'Fired'],
  filtered: ['plain', 'Filtered'],
  skipped: ['warn', 'Skipped'],
  failed: ['bad', 'Failed'],
  queued: ['plain', 'Queued'],
  running: ['info', 'Running'],
  waiting_approval: ['warn', 'Waiting for approval'],
  succeeded: ['good', 'Succeeded'],
  cancelled: ['plain', 'Cancelled'],
  pending: ['warn', 'Pending'],
  approved: ['good', 'Approved'],
  rejected: ['bad', 'Rejected'],
  expired: ['plain', 'Expired'],
  void: ['plain', 'Void'],
  healthy: ['good', 'Healthy'],
  degraded: ['warn', 'Degraded'],
  delivered: ['good', 'Delivered'],
  unknown: ['warn', 'Unknown'],
};

export const StateBadge = ({ state }: { state: string }) => {
  const [tone, words] = states[state] ?? ['plain', state.replaceAll('_', ' ')];
  return <Badge tone={tone}>{words}</Badge>;
};

const effects: Record<string, [Tone, string]> = {
  read: ['plain', 'reads'],
  write: ['info', 'writes'],
  send: ['warn', 'sends'],
  destroy: ['bad', 'destroys'],
};

export const EffectBadge = ({ effect }: { effect: string }) => {
  const [tone, words] = effects[effect] ?? ['plain', effect];
  return <Badge tone={tone}>{words}</Badge>;
};
