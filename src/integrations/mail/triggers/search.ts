import { readBody } from '../body/read-body.ts';
import {
  type CompiledFilter,
  compileFilter,
  type FilterMail,
  type FoldedMail,
  filterIndex,
  fold,
  parseFilter,
} from '../filter/index.ts';
import { conditionsOf } from '../filter/tree.ts';
import type { Delivery } from '../watching/delivery.ts';

const someone = ({ name = '', address }: { name?: string | undefined; address: string }) => ({ name, address });

/** Names of days mean other days for another mail; a filter with one is asked anew each time. */
const isRelative = ({ filter }: CompiledFilter): boolean =>
  conditionsOf(filter.clause).some((each) => {
    if (each.kind !== 'date') return false;
    const days = each.range.operator === '..' ? [each.range.from, each.range.to] : [each.range.value];
    return days.some((day) => !/^\d{4}-/.test(day));
  });

const mailOf = (delivery: Delivery): FilterMail => {
  const { body, attachments } = delivery;
  const whole = { format: 'text', maxChars: Number.MAX_SAFE_INTEGER, keepQuoted: true } as const;
  return {
    subject: delivery.subject,
    // Most filters ask for something else, and a long body takes its time to read.
    get body() {
      return readBody(body, whole).text;
    },
    // The author alone: whoever sends for somebody could name any sender beside.
    from: delivery.from === null ? [] : [someone(delivery.from)],
    to: delivery.to.map(someone),
    cc: delivery.cc.map(someone),
    bcc: delivery.bcc.map(someone),
    hasAttachments: delivery.hasAttachments,
    attachmentNames: attachments.map(({ name }) => name),
    receivedAt: new Date(delivery.receivedAt),
    ...(delivery.sentAt === null ? {} : { sentAt: new Date(delivery.sentAt) }),
    importance: delivery.importance,
    categories: delivery.categories,
    // The service does not tell the size of a message; its parts say most of it.
    size: Buffer.byteLength(body.content) + attachments.reduce((sum, { size }) => sum + size, 0),
    isRead: delivery.isRead,
  };
};

const folded = new WeakMap<Delivery, FoldedMail>();

/** Folded once, however many triggers ask. */
const foldedOf = (delivery: Delivery): FoldedMail => {
  const known = folded.get(delivery) ?? fold(mailOf(delivery));
  folded.set(delivery, known);
  return known;
};

type Ready = { compiled: CompiledFilter; clock: { now: Date } };
const mostReady = 10_000;
const ready = new Map<string, Ready>();

const readyFor = (text: string, zone: string): Ready => {
  const key = `${zone}\n${text}`;
  const clock = { now: new Date(0) };
  const known = ready.get(key) ?? { compiled: compileFilter(parseFilter(text), { zone, now: () => clock.now }), clock };
  ready.delete(key);
  ready.set(key, known);
  const [oldest] = ready.keys();
  if (ready.size > mostReady && oldest !== undefined) ready.delete(oldest);
  return known;
};

/**
 * The clause of a search filter that this mail fails, as it is printed; nothing where there is no filter. Today is the day on
 * which it came: what becomes of a mail does not depend on how long it took us.
 */
export const failedClause = (delivery: Delivery, filter: string): string | undefined => {
  if (filter === '') return undefined;
  const { compiled, clock } = readyFor(filter, delivery.mailbox.zone);
  clock.now = new Date(delivery.receivedAt);
  return compiled.failedClause(foldedOf(delivery));
};

/** Many filters on one mailbox at once: which of them may admit this mail? */
export const searchIndex = (filters: readonly { id: string; searchFilter: string }[]) => {
  const byZone = new Map<string, (mail: FoldedMail) => ReadonlySet<string>>();
  const indexFor = (zone: string) => {
    const known = byZone.get(zone);
    if (known !== undefined) return known;
    const compiled = filters.flatMap(({ id, searchFilter }) =>
      searchFilter === '' ? [] : [{ id, filter: readyFor(searchFilter, zone).compiled }],
    );
    const fixed = compiled.filter(({ filter }) => !isRelative(filter));
    const always = new Set(filters.map(({ id }) => id));
    for (const { id } of fixed) always.delete(id);
    const index = filterIndex(fixed);
    const made = (mail: FoldedMail) => new Set([...always, ...index.matching(mail)]);
    byZone.set(zone, made);
    return made;
  };
  return (delivery: Delivery): ReadonlySet<string> => indexFor(delivery.mailbox.zone)(foldedOf(delivery));
};
