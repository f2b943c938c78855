import type { JudgeContext, Judgement } from '#kit';
import { instantWritten } from '../times.ts';
import type { Delivery } from '../watching/delivery.ts';
import { ownAddresses } from '../watching/resource.ts';
import { zoneNamed } from '../zones.ts';
import { isFolder } from './folders.ts';
import { failedClause } from './search.ts';

/** What the configuration says about which mail starts something. */
export type Rules = {
  searchFilter: string;
  folders: readonly string[];
  startFrom: string;
  ignoreSelf: boolean;
  ignoreAutoReplies: boolean;
};

const megabyte = 1_048_576;
const largest = 25 * megabyte;

/** Whoever takes it out of there wants it. */
export const inJunk = 'It is in the junk folder.';

const skipped = (reason: string): Judgement => ({ outcome: 'skipped', reason });
const filtered = (clause: string): Judgement => ({ outcome: 'filtered', clause });

const tooLarge = ({ attachments }: Delivery): string | undefined => {
  const [worst] = attachments.filter(({ size }) => size > largest).toSorted((a, b) => b.size - a.size);
  if (worst === undefined) return undefined;
  // Rounded up, so that it never reads like the limit itself.
  const size = Math.ceil((worst.size / megabyte) * 10) / 10;
  return `The attachment "${worst.name}" has ${size} MB; mail with an attachment over 25 MB is not processed.`;
};

const isEarly = ({ receivedAt, mailbox }: Delivery, startFrom: string): boolean => {
  if (startFrom === 'now') return false;
  const from = instantWritten(startFrom, zoneNamed(mailbox.zone));
  return from !== undefined && Date.parse(receivedAt) < from;
};

/** Whether mail starts something, and if not, why. What no configuration lets through comes first. */
export const judgeMail = (delivery: Delivery, rules: Rules, { account, since }: JudgeContext): Judgement => {
  const enabled = Math.floor(since.getTime() / 1_000) * 1_000;
  if (Date.parse(delivery.receivedAt) < enabled) return skipped('It came before the trigger was enabled.');
  if (delivery.folder.wellKnownName === 'junkemail') return skipped(inJunk);
  const large = tooLarge(delivery);
  if (large !== undefined) return skipped(large);
  const own = ownAddresses(delivery.mailbox.shared, account.identity);
  const writers = [delivery.from, delivery.sender].flatMap((each) => each?.address.toLowerCase() ?? []);
  if (rules.ignoreSelf && writers.some((address) => own.has(address))) return skipped('The account sent it itself.');
  if (rules.ignoreAutoReplies && delivery.isAutomatic) {
    return skipped('A machine sent it: an automatic reply, a bounce or bulk mail.');
  }
  if (isEarly(delivery, rules.startFrom)) return filtered('startFrom');
  const isHere = rules.folders.length === 0 || rules.folders.some((given) => isFolder(delivery.folder, given));
  if (!isHere) return filtered('folders');
  const clause = failedClause(delivery, rules.searchFilter);
  return clause === undefined ? { outcome: 'fired' } : filtered(clause);
};
