import { type CallRecord, type DoneLately, type Excess, partsIn, type Talk, type Tally } from '#effects';
import type { SendView, UpstreamRequest } from '#kit';
import type { Live } from './execution.ts';
import type { RunRow } from './run-records.ts';
import type { Template } from './templates/index.ts';

/** How often a conversation is answered within an hour before a person looks at it. */
const mostRounds = 3;

/** How far an agent's tool may send by itself. */
export type Autopilot = {
  recipients: 'guarded' | 'anyone';
  /** What the builder gave the tool for good. */
  fixed: readonly Template[];
};

const address = /^[^<>]*<\s*([^\s@<>]+@[^\s<>]+)\s*>\s*$|^\s*([^\s@<>]+@[^\s@<>]+)\s*$/;

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

/** The mail that started the run. */
const messageOf = ({ input }: RunRow): Record<string, unknown> | undefined =>
  (input as { event?: { data?: { message?: Record<string, unknown> } } }).event?.data?.message;

/** Somebody's address; what they call themselves is none, however it looks. */
const addressOf = (person: unknown): string[] =>
  addressesIn((person as { address?: unknown } | null | undefined)?.address);

/** The people of the mail that started the run. */
const thread = (run: RunRow): string[] => {
  const { from, sender, replyTo, to, cc } = messageOf(run) ?? {};
  return [from, sender, replyTo, to, cc].flat().flatMap(addressOf);
};

/** Whom an answer to the mail that started the run goes to, and on what. */
const talkOf = (run: RunRow): Talk | undefined => {
  const { from, replyTo, subject } = messageOf(run) ?? {};
  const [address] = [replyTo, from].flat().flatMap(addressOf);
  return address === undefined ? undefined : { address, subject: typeof subject === 'string' ? subject : '' };
};

const everybody = ({ to, cc, bcc, parts = [] }: SendView): string[] => [
  ...[...to, ...cc, ...bcc].map((each) => each.address.toLowerCase()),
  ...parts.flatMap(everybody),
];

/** Whoever gets the answers reads what they quote. */
const answered = ({ replyTo, parts = [] }: SendView): string[] => [
  ...replyTo.map((each) => each.address.toLowerCase()),
  ...parts.flatMap(answered),
];

/** Of what is no request to people, and of one whose people cannot be read, nobody knows whom it reaches. */
const reachIsKnown = (view: SendView): boolean =>
  view.parts === undefined
    ? view.kind !== 'request' && everybody(view).length > 0
    : view.parts.length > 0 && view.parts.every(reachIsKnown);

// Signs by which mail servers read a second address, or one elsewhere, out of the first.
const ofDomain = /^(?!imcea)[^\s@<>"(),:;[\]\\%!]+@([^\s@<>"(),:;[\]\\]+)$/;

const isAllowed = (allowed: readonly string[], address: string): boolean => {
  const [, domain] = ofDomain.exec(address) ?? [];
  return allowed.includes(address) || (domain !== undefined && allowed.includes(`*@${domain}`));
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Why so many more are too many. */
const excess = ({ ofRun, ofAccount, mostOfRun, mostOfAccount }: Tally, more: number, done: string) => {
  const atOnce = more === 1 ? '' : `, and this would be ${more} more`;
  if (ofRun + more > mostOfRun) return `This run has ${done} ${times(ofRun)} already${atOnce}.`;
  return ofAccount + more > mostOfAccount
    ? `This account has ${done} ${times(ofAccount)} within the hour${atOnce}.`
    : undefined;
};

/**
 * Assumes that an agent obeys whatever it reads: text from outside may start it, but not choose to whom it writes, nor how
 * often. Answers why a person must decide after all.
 */
export const doubtOf =
  (
    doneLately: Pick<DoneLately, 'sends'>,
    { run, hasRead = false }: Pick<Live, 'run' | 'hasRead'>,
    accountId: string,
    { recipients, fixed }: Autopilot,
  ): ((view: SendView) => Promise<string | undefined>) =>
  async (view) => {
    const { workspace_id: workspaceId, id: runId } = run;
    const conversation = messageOf(run) === undefined ? null : run.lane;
    const people = [...everybody(view), ...answered(view)];
    const talk = talkOf(run);
    const isAnswer = talk !== undefined && people.includes(talk.address);
    const by = { workspaceId, runId, accountId, conversation };
    const sent = await doneLately.sends({ ...by, talk: isAnswer ? talk : undefined });
    const { rounds, strict, allowed } = sent;
    if (run.event_id !== null && recipients === 'guarded') {
      if (!reachIsKnown(view)) return 'It is not known whom this reaches.';
      const fixedOnes = new Set(fixed.flatMap(written));
      const others = people.filter((each) => !fixedOnes.has(each) && !isAllowed(allowed, each));
      const known = new Set(thread(run));
      const strangers = others.filter((each) => !known.has(each));
      if (strangers.length > 0) {
        return `Neither the tool, nor the mail that started this, nor the account's allow-list names ${strangers.join(', ')}.`;
      }
      if (strict && hasRead && others.length > 0) {
        return 'This run has read more than the mail that started it, and the settings are strict.';
      }
    }
    if (rounds >= mostRounds) {
      return `This conversation was answered ${rounds} times within the hour: two agents may be answering each other.`;
    }
    return excess(sent, Math.max(1, view.parts?.length ?? 1), 'sent');
  };

/** Texts and beginnings of texts that a builder wrote down. */
const writtenTexts = (template: Template): { text: string; isWhole: boolean }[] => {
  if (template.kind === 'constant') return textsIn(template.value).map((text) => ({ text, isWhole: true }));
  if (template.kind === 'list') return template.items.flatMap(writtenTexts);
  if (template.kind === 'fields') return template.fields.flatMap(([, each]) => writtenTexts(each));
  const [first] = template.kind === 'text' ? template.parts : [];
  return typeof first === 'string' ? [{ text: first, isWhole: false }] : [];
};

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

// As far as that it is settled who is asked.
const place = /^https?:\/\/[^\s/?#\\@]+[/?#]/i;

const isBelow = (address: string, beginning: string): boolean =>
  place.test(beginning) &&
  address.startsWith(beginning) &&
  URL.canParse(address) &&
  new URL(address).href.startsWith(new URL(beginning).href);

// What stands in no address: with it, whatever the text goes on to say would be taken along.
const outside = /[\s<>"]/;
const ending = /^(?:$|[\s<>"'`)\]}|]|[.,;:!?]+(?:$|[\s<>"')\]]))/;

/** Whether a text names it from its beginning to its end: how much of a longer one is taken could tell something. */
const names = (text: string, address: string): boolean => {
  if (outside.test(address)) return false;
  for (let at = text.indexOf(address); at !== -1; at = text.indexOf(address, at + 1)) {
    if (ending.test(text.slice(at + address.length, at + address.length + 9))) return true;
  }
  return false;
};

/** Whether the builder wrote an address down, or what happened names it: then it carries nothing that was read since. */
export const isNamedIn = (address: string, fixed: readonly Template[], event?: unknown): boolean =>
  fixed.flatMap(writtenTexts).some(({ text, isWhole }) => (isWhole ? text === address : isBelow(address, text))) ||
  textsIn(event).some((text) => names(text, address));

/**
 * Assumes the same of what it has the service load: an address can carry what the agent has read to whoever is there.
 * Answers why a person must decide about it, unless the builder wrote it down or what happened names it.
 */
export const lureOf = (
  { event_id: eventId, input }: Pick<RunRow, 'event_id' | 'input'>,
  { recipients, fixed }: Autopilot,
): ((addresses: readonly string[]) => string | undefined) | undefined => {
  if (eventId === null || recipients !== 'guarded') return undefined;
  return (addresses) => {
    const stray = addresses.find((each) => !isNamedIn(each, fixed, input['event']));
    return stray === undefined
      ? undefined
      : `Neither the tool nor what happened names ${stray.slice(0, 500)}, which the service may load: whoever is there would learn of it.`;
  };
};

const Commented = /comment/i;

/** Of a run that a comment started: why what it says where that was needs a person. */
export const roundsOf = (
  doneLately: Pick<DoneLately, 'comments'>,
  { workspace_id: workspaceId, id: runId, event_id: eventId, input }: RunRow,
  accountId: string,
): ((request: UpstreamRequest) => Promise<string | undefined>) | undefined => {
  const { event } = input as { event?: { data?: { action?: { type?: unknown }; card?: Record<string, unknown> } } };
  if (eventId === null || !Commented.test(String(event?.data?.action?.type))) return undefined;
  const { id, shortLink } = event?.data?.card ?? {};
  const started = [id, shortLink].filter((name) => typeof name === 'string').map((name) => name.toLowerCase());
  return async ({ path }) => {
    const named = path.split('/')[3]?.toLowerCase() ?? '';
    // One card has several names; of another than that which started the run only this one is known.
    const card = started.includes(named) ? started : [named];
    const rounds = await doneLately.comments({ workspaceId, runId, accountId, card });
    return rounds >= mostRounds
      ? `Comments on this card were answered ${rounds} times within the hour: two agents may be answering each other.`
      : undefined;
  };
};

/** Assumes the same of what it is told to remove: a little of it is work, a lot needs a person. Answers why. */
export const brakeOf =
  (doneLately: Pick<DoneLately, 'removals'>, { workspace_id: workspaceId, id: runId }: RunRow, accountId: string) =>
  async (request: UpstreamRequest): Promise<string | undefined> =>
    excess(await doneLately.removals({ workspaceId, runId, accountId }), partsIn(request), 'removed something');

/**
 * Many runs may ask at the same moment whether one more is too many, and all be told no. Once it is written down what each
 * is about to do, they know of each other: asked then, this answers why what was just intended is too much after all.
 */
export const excessOf =
  (
    doneLately: Pick<DoneLately, 'admit'>,
    { workspace_id: workspaceId, id: runId }: RunRow,
    accountId: string,
  ): Excess =>
  (effect, request, effectId) =>
    doneLately.admit({ workspaceId, runId, accountId, effectId }, effect, (others) =>
      excess(others, partsIn(request), effect === 'send' ? 'sent' : 'removed something'),
    );

/** Whether a step has read something besides the mail that started the run. */
export const readsMore = (run: RunRow, calls: readonly Pick<CallRecord, 'effect' | 'path'>[]): boolean => {
  const id = messageOf(run)?.['id'];
  const itself = typeof id === 'string' ? [id, encodeURIComponent(id)].map((each) => `/messages/${each}`) : [];
  const isItself = (path: string) => itself.some((each) => path.endsWith(each) || path.includes(`${each}/`));
  return calls.some(({ effect, path }) => effect === 'read' && !isItself(path));
};
