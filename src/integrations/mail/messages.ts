import { Fault, type Path, path, type Upstream, wrong } from '#kit';
import { quoted, wholeList } from './collect.ts';
import { fullOf, WireMessage } from './shapes.ts';
import { below, prefer } from './wire.ts';
import { utcZone } from './zones.ts';

type Where = { upstream: Upstream; mailbox?: string | undefined };

/** The id in an address of the web mail. */
const idInAddress = (address: string, field: string): string => {
  // A plus in an id may stand there as it is.
  const url = URL.parse(address.replaceAll('+', '%2B'));
  const named = url?.searchParams.get('ItemID') ?? url?.searchParams.get('itemid');
  // Reading the address as a query decodes it, and forgives broken escapes.
  const last = /\/id\/([^/?#]+)/.exec(address)?.[1];
  const id = named ?? (last === undefined ? null : new URLSearchParams(`id=${last.replaceAll('+', '%2B')}`).get('id'));
  if (id === null) throw wrong(field, 'This web address names no message; use its id.');
  return id;
};

/** The id of a message that was named by id, internet message id or web address. */
export const messageKey = async ({ upstream, mailbox }: Where, given: string, field = 'messageId'): Promise<string> => {
  const text = given.trim();
  if (/^https?:\/\//i.test(text)) return idInAddress(text, field);
  if (!/^<.+>$/.test(text)) return text;
  const query = { $filter: `internetMessageId eq ${quoted(text)}`, $top: 10 };
  const value = await wholeList(upstream, below(mailbox, path`/messages`), query, WireMessage);
  const [only] = value;
  if (only === undefined) throw new Fault('not_found', 'No message of this mailbox has this internet message id.');
  if (value.length === 1) return only.id;
  const candidates = value
    .map((each) => fullOf(each, utcZone))
    .map(({ id, subject, folderId }) => ({ id, subject, folderId }));
  throw wrong(field, 'Several copies have this internet message id; use the id of one.', { candidates });
};

/** The path of a message below its mailbox. */
export const messagePath = (mailbox: string | undefined, id: string): Path => below(mailbox, path`/messages/${id}`);

/** A path below a message. Both parts come from `path`. */
export const belowMessage = (mailbox: string | undefined, id: string, rest: Path): Path =>
  `${messagePath(mailbox, id)}${rest}` as Path;

/** One message with only these fields. */
export const getMessage = async (
  { upstream, mailbox }: Where,
  id: string,
  fields: readonly string[],
): Promise<WireMessage> => {
  const query = { $select: fields.join(',') };
  return WireMessage.parse(await upstream.get(messagePath(mailbox, id), { query, headers: prefer() }));
};
