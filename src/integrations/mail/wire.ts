import { type Identity, type Path, path, type StepContext, type UpstreamAnswer, type UpstreamRequest } from '#kit';

/** Where a mailbox begins: one's own, or another that the account may open (by address or id). */
export const root = (mailbox: string | undefined): Path =>
  mailbox === undefined ? path`/me` : path`/users/${mailbox}`;

/** A path below the mailbox. Both parts come from `path`, so every value still fills one segment. */
export const below = (mailbox: string | undefined, rest: Path): Path => `${root(mailbox)}${rest}` as Path;

const mailbox = /^\/users(?:\/|\(')([^/']+)(?:'\))?(?:\/|$)/i;

/** The mailbox that a path names; `undefined` where it is the account's own. */
export const mailboxIn = (path: string, { identity }: StepContext['account']): string | undefined => {
  const [, written] = mailbox.exec(path) ?? [];
  if (written === undefined) return undefined;
  const named = decoded(written);
  return isAnothers(named, identity) ? named : undefined;
};

/** Whether that is how another mailbox than the account's own is called. */
export const isAnothers = (called: string, { id, address }: Identity): boolean =>
  ![id, address].some((own) => own?.toLowerCase() === called.toLowerCase());

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Headers that every request needs: ids change with each move unless immutable ones are asked for, and the service
 * remembers no preference from one request to the next.
 */
export const prefer = (...more: readonly string[]): { prefer: string } => ({
  prefer: ['IdType="ImmutableId"', ...more].join(', '),
});

const claim = '@switchboard.claim';

/**
 * What a look found for a write that makes nothing new (a change, a move, a send). Such a write has no id of its own, and
 * the id of what it touched may belong to an earlier effect, so it is claimed under the item's id with the run's mark.
 */
export const madeBy = <T extends object>(body: T, id: string, mark: string): T => ({
  ...body,
  [claim]: `${id} ${mark}`,
});

const textAt = (body: unknown, name: string): string | undefined => {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = (body as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
};

export const idOf = (body: unknown): string | undefined => textAt(body, claim) ?? textAt(body, 'id');

/** Accepted and Deleted say nothing more, nor need Created after an upload; whatever else is written is answered with itself. */
export const confirms = (
  { path: asked }: Pick<UpstreamRequest, 'path'>,
  { status, body }: Pick<UpstreamAnswer, 'status' | 'body'>,
): boolean =>
  status === 202 ||
  status === 204 ||
  (status === 201 && asked.endsWith('/createUploadSession')) ||
  idOf(body) !== undefined;

const things =
  'messages|events|contacts|attachments|mailFolders|childFolders|contactFolders|calendars|masterCategories';
// Ids are long; what can be done with a thing, and the names of folders, are not.
const named = new RegExp(`/(?:${things})(?:/|\\(')([\\w%=+-]{30,})(?='\\)|/|$)`, 'gi');

/** The innermost thing that a path names. */
export const idIn = (path: string): string | undefined => {
  const id = [...path.matchAll(named)].at(-1)?.[1];
  return id === undefined ? undefined : decoded(id);
};
