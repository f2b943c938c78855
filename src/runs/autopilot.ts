import type { SentLately } from '#effects';
import type { SendView } from '#kit';
import type { RunRow } from './run-records.ts';
import type { Template } from './templates/index.ts';

const sendsPerRun = 5;
const sendsPerHour = 30;

/** How far an agent's tool may send by itself. */
export type Autopilot = {
  recipients: 'guarded' | 'anyone';
  /** What the builder gave the tool for good. */
  fixed: readonly Template[];
};

const address = /^[^<>]*<\s*([^\s<>]+@[^\s<>]+)\s*>\s*$|^\s*([^\s@<>]+@[^\s@<>]+)\s*$/;

/** Whole texts that are an address. One inside a longer text is none, whoever wrote it. */
const addressesIn = (value: unknown): string[] => {
  if (typeof value === 'string') {
    const [, named, bare] = address.exec(value) ?? [];
    const found = named ?? bare;
    return found === undefined ? [] : [found.toLowerCase()];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : [];
};

/** The addresses that a builder wrote down: of a template only what no event and no model can change. */
const written = (template: Template): string[] => {
  if (template.kind === 'constant') return addressesIn(template.value);
  if (template.kind === 'list') return template.items.flatMap(written);
  return template.kind === 'fields' ? template.fields.flatMap(([, each]) => written(each)) : [];
};

/** The people of the mail that started the run. */
const thread = ({ input }: RunRow): string[] => {
  const { event } = input as { event?: { data?: { message?: Record<string, unknown> } } };
  const { from, sender, replyTo, to, cc } = event?.data?.message ?? {};
  return addressesIn([from, sender, replyTo, to, cc]);
};

const everybody = ({ to, cc, bcc, parts = [] }: SendView): string[] => [
  ...[...to, ...cc, ...bcc].map((each) => each.address.toLowerCase()),
  ...parts.flatMap(everybody),
];

/**
 * Assumes that an agent obeys whatever it reads: text from outside may start it, but not choose to whom it writes, nor how
 * often. Answers why a person must decide after all.
 */
export const doubtOf =
  (
    sentLately: SentLately,
    run: RunRow,
    accountId: string,
    { recipients, fixed }: Autopilot,
  ): ((view: SendView) => Promise<string | undefined>) =>
  async (view) => {
    const people = everybody(view);
    if (run.event_id !== null && recipients === 'guarded') {
      const known = new Set([...fixed.flatMap(written), ...thread(run)]);
      const strangers = people.filter((each) => !known.has(each));
      if (people.length === 0) return 'It is not known whom this reaches.';
      if (strangers.length > 0) return `Neither the tool nor the mail that started this names ${strangers.join(', ')}.`;
    }
    const { ofRun, ofAccount } = await sentLately({ workspaceId: run.workspace_id, runId: run.id, accountId });
    if (ofRun >= sendsPerRun) return `This run has sent ${ofRun} times already.`;
    return ofAccount >= sendsPerHour ? `This account has sent ${ofAccount} times within the hour.` : undefined;
  };
