import { z } from 'zod';
import { Fault, type FindContext, path, type StepContext, sameName, type Verdict, wrong } from '#kit';
import { sentBefore } from './begun.ts';
import { readLabels } from './labels.ts';
import { getMessage, messageKey, messagePath } from './messages.ts';
import { WireMessage } from './shapes.ts';
import { isDenied } from './shared-mailboxes.ts';
import { below, madeBy, prefer } from './wire.ts';

type Where = { mailbox?: string | undefined; messageId: string };
type Change = (labels: readonly string[]) => string[];

const mostTries = 5;
const fields = ['id', 'categories', 'changeKey'];

/**
 * Changes the labels of a message. The service only replaces them all, so what is there is read first, and read again
 * when somebody else changed the message in between.
 */
export const changeLabels = async (
  { upstream, before: asBefore }: Pick<StepContext, 'upstream' | 'before'>,
  { mailbox, messageId }: Where,
  change: Change,
): Promise<{ before: string[]; after: string[] }> => {
  const where = { upstream, mailbox };
  const key = await messageKey(where, messageId);
  for (let tries = 1; ; tries += 1) {
    const message = await getMessage(where, key, fields);
    const present = message.categories ?? [];
    // What an interrupted run has changed is so already.
    const before = await asBefore(z.array(z.string()), async () => present);
    const categories = change(present);
    if (categories.length === present.length) return { before, after: present };
    const etag = message['@odata.etag'];
    const headers = { ...prefer(), ...(etag === undefined ? {} : { 'if-match': etag }) };
    try {
      const changed = await upstream.patch(messagePath(mailbox, message.id), { body: { categories }, headers });
      return { before, after: WireMessage.parse(changed).categories ?? categories };
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'conflict' || tries >= mostTries) throw error;
    }
  }
};

const Categories = z.object({ categories: z.array(z.string()) });
const NewCategory = z.object({ displayName: z.string() });

/** Whether the labels are as an uncertain request wanted them, or the label it wanted to offer is there. */
export const findLabels = async (
  { mailbox, messageId }: Where,
  { upstream, request, mark }: FindContext,
): Promise<Verdict> => {
  if (request.method === 'POST') {
    const { displayName } = NewCategory.parse(request.body);
    return { made: (await readLabels(upstream, mailbox)).filter(({ name }) => sameName(name, displayName)) };
  }
  const where = { upstream, mailbox };
  const message = await getMessage(where, await messageKey(where, messageId), fields);
  const wanted = Categories.parse(request.body).categories.toSorted().join('\n');
  const done = (message.categories ?? []).toSorted().join('\n') === wanted;
  return { made: done ? [madeBy(message, message.id, mark(1))] : [] };
};

/** Whether the labels that a mailbox offers can be read. */
export const settingsReadable = (scopes: readonly string[]): boolean =>
  scopes.some((scope) => /^MailboxSettings\.Read/i.test(scope));

type Asking = Pick<StepContext, 'upstream' | 'account'>;

/** The labels that a mailbox offers, if they may be read: of a mailbox of others nobody can be granted that. */
const readableLabels = async ({ upstream, account }: Asking, mailbox: string | undefined) => {
  if (!settingsReadable(account.scopes)) return undefined;
  return readLabels(upstream, mailbox).catch((error: unknown) => {
    if (mailbox === undefined || !isDenied(error)) throw error;
    return undefined;
  });
};

const looksLikeId = /^[\w=+/-]{32,}$/;

/** Names of labels that are given by name or id; only for what may be an id, the mailbox is asked. */
export const namesOfLabels = async (
  context: Asking,
  mailbox: string | undefined,
  labels: readonly string[],
): Promise<string[]> => {
  if (!labels.some((label) => looksLikeId.test(label))) return [...labels];
  const offered = (await readableLabels(context, mailbox)) ?? [];
  return [...new Set(labels.map((label) => offered.find(({ id }) => id === label)?.name ?? label))];
};

/** Labels as the mailbox spells them. One that it does not offer is made, or refused with those it does offer. */
export const offeredLabels = async (
  { upstream, account, warn, require, begun = [] }: Asking & Pick<StepContext, 'warn' | 'require' | 'begun'>,
  mailbox: string | undefined,
  labels: readonly string[],
  createMissing: boolean,
): Promise<string[]> => {
  const offered = await readableLabels({ upstream, account }, mailbox);
  if (offered === undefined) {
    const why = settingsReadable(account.scopes) ? 'it is not your own' : 'MailboxSettings.Read is missing';
    warn(`The labels of this mailbox could not be read (${why}); used as written.`);
    return [...labels];
  }
  // What an interrupted run made is offered by now; asked for once more, it is answered with what came of it.
  const madeBefore = sentBefore({ begun }, 'POST').map(({ displayName }) => String(displayName));
  const names: string[] = [];
  for (const label of labels) {
    const known = offered.find(({ id, name }) => id === label || sameName(name, label));
    if (known === undefined && !createMissing) {
      throw wrong('labels', `There is no label "${label}"; use one of the candidates, or set createMissing.`, {
        candidates: offered.map(({ id, name }) => ({ id, name })),
      });
    }
    if (known === undefined) require([['MailboxSettings.ReadWrite']]);
    names.push(madeBefore.find((name) => sameName(name, label)) ?? known?.name ?? label);
  }
  const isThere = (name: string) => offered.some((label) => label.name === name) && !madeBefore.includes(name);
  for (const name of names.filter((each) => !isThere(each))) {
    const body = { displayName: name, color: 'none' };
    await upstream.post(below(mailbox, path`/outlook/masterCategories`), { body, headers: prefer() });
  }
  return [...new Set(names)];
};
