import { seedCalendar } from '../calendar/seed.ts';
import { seedContacts } from '../contacts/seed.ts';
import { addFolder } from '../folders/store.ts';
import { newItemId } from '../ids.ts';
import type { Folder, Mailbox } from '../mailbox.ts';
import { conversationIdOf, draftFields, newConversationIndex, nextConversationIndex } from '../messages/draft.ts';
import { wellKnownFolder } from '../messages/find.ts';
import { addMessage } from '../messages/store.ts';
import { readAddressList } from '../mime/read.ts';
import { previewOf, wholeHtml } from '../text.ts';
import type { World } from '../world.ts';
import { type SeedMail, seedMails } from './mails.ts';
import { seedPeople } from './people.ts';

const day = 86_400_000;

/** A well-known folder, or a path of names below the root, made where missing. */
const folderFor = (mailbox: Mailbox, path: string): Folder => {
  if (mailbox.wellKnown.has(path)) return wellKnownFolder(mailbox, path);
  let folder = wellKnownFolder(mailbox, 'msgfolderroot');
  for (const name of path.split('/')) {
    const child = folder.children
      .flatMap((id) => mailbox.folders.get(id) ?? [])
      .find((one) => one.displayName === name);
    folder = child ?? addFolder(mailbox, folder, name, false);
  }
  return folder;
};

const people = (list: readonly string[] = []) => list.flatMap((text) => readAddressList(text));

/** Never later than now, however early in the day it is. */
const timeOf = ({ ago, at }: SeedMail, now: number): number => {
  const then = new Date(now - ago * day).toISOString().slice(0, 10);
  const time = Date.parse(`${then}T${at}:00Z`);
  return Math.min(time, now - ago * 3_600_000);
};

const seedMail = (world: World, mail: SeedMail, threads: Map<string, string>): void => {
  const mailbox = world.mailboxOf(`${mail.box}@sandbox.test`);
  if (mailbox === undefined) return;
  const started = mail.thread === undefined ? undefined : threads.get(mail.thread);
  const index = started === undefined ? newConversationIndex() : nextConversationIndex(started);
  if (mail.thread !== undefined && started === undefined) threads.set(mail.thread, index);
  const when = timeOf(mail, world.now());
  const body = { contentType: 'html' as const, content: wholeHtml(mail.html) };
  const from = people([mail.from])[0] ?? null;
  addMessage(world, mailbox, folderFor(mailbox, mail.folder ?? 'inbox'), {
    ...draftFields(world, mailbox, {}),
    subject: mail.subject,
    body,
    preview: previewOf(body),
    from,
    sender: from,
    to: people(mail.to),
    cc: people(mail.cc),
    received: when,
    sent: when,
    created: when,
    conversationIndex: index,
    conversationId: conversationIdOf(index),
    isRead: mail.read ?? true,
    isDraft: mail.folder === 'drafts',
    importance: mail.importance ?? 'normal',
    categories: mail.categories ?? [],
    flag: { flagStatus: mail.flagged === true ? 'flagged' : 'notFlagged' },
    attachments: (mail.files ?? []).map((file) => ({
      kind: 'file',
      id: newItemId(mailbox),
      ...file,
      isInline: false,
      contentId: null,
      modified: when,
    })),
  });
};

/** The world that makes sense to look at: three people, a shared mailbox, two weeks of mail. */
export const seedWorld = (world: World): void => {
  seedPeople(world);
  const threads = new Map<string, string>();
  for (const mail of seedMails) seedMail(world, mail, threads);
  seedCalendar(world);
  seedContacts(world);
};
