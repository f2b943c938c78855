import { newItemId } from '../ids.ts';
import type { Attachment, EmailAddress, Mailbox, Message } from '../mailbox.ts';
import { addressOf, draftFields, nextConversationIndex } from '../messages/draft.ts';
import { wellKnownFolder } from '../messages/find.ts';
import { addMessage, updateMessage } from '../messages/store.ts';
import { submit } from '../messages/submit.ts';
import { previewOf } from '../text.ts';
import type { World } from '../world.ts';
import type { About, Letter } from './compose-page.ts';

const addressShape = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** Addresses as people type them: `a@x, Ben <b@y>; c@z`. */
const parseAddresses = (world: World, text: string): EmailAddress[] =>
  text
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [, name = '', bracketed] = /^(.*?)\s*<([^<>]*)>$/.exec(part) ?? [];
      const address = bracketed ?? part;
      return { name: name.replaceAll('"', '') || world.person(address)?.displayName || address, address };
    });

const largest = 25 * 1024 * 1024;

const attached = async (mailbox: Mailbox, files: File[], now: number): Promise<Attachment[]> =>
  Promise.all(
    files.map(async (file) => ({
      kind: 'file' as const,
      id: newItemId(mailbox),
      name: file.name,
      contentType: file.type || 'application/octet-stream',
      size: file.size,
      isInline: false,
      contentId: null,
      modified: now,
      content: new Uint8Array(await file.arrayBuffer()),
    })),
  );

/** Files the letter takes along from what it answers or continues. */
const carried = (mailbox: Mailbox, { answer, draft }: About): Attachment[] => {
  if (draft !== undefined) return draft.attachments;
  if (answer?.kind !== 'forward') return [];
  return answer.message.attachments.map((attachment) => ({ ...attachment, id: newItemId(mailbox) }));
};

/** Saves a letter as a draft, or sends it; answers what stands in the way, if anything. */
export const sendLetter = async (
  world: World,
  mailbox: Mailbox,
  letter: Letter,
  about: About,
  files: File[],
  purpose: 'send' | 'save',
): Promise<string | undefined> => {
  const to = parseAddresses(world, letter.to);
  const cc = parseAddresses(world, letter.cc);
  const bcc = parseAddresses(world, letter.bcc);
  const wrong = [...to, ...cc, ...bcc].find(({ address }) => !addressShape.test(address));
  if (wrong !== undefined) return `“${wrong.address}” is not an address.`;
  if (purpose === 'send' && to.length + cc.length + bcc.length === 0) return 'Say whom the mail is for.';
  if (files.reduce((sum, file) => sum + file.size, 0) > largest) return 'Attachments may be 25 MB together.';
  const own = addressOf(world, mailbox);
  const body = { contentType: 'text' as const, content: letter.text.replaceAll('\r\n', '\n') };
  const attachments = [...carried(mailbox, about), ...(await attached(mailbox, files, world.now()))];
  const fields = {
    to,
    cc,
    bcc,
    subject: letter.subject,
    body,
    preview: previewOf(body),
    from: own,
    sender: own,
    attachments,
  };
  const draft =
    about.draft ??
    addMessage(
      world,
      mailbox,
      wellKnownFolder(mailbox, 'drafts'),
      draftFields(world, mailbox, { ...fields, ...thread(about) }),
    );
  if (about.draft !== undefined) updateMessage(world, mailbox, draft, fields);
  if (purpose === 'send') submit(world, mailbox, draft, { save: true, hide: false });
  return undefined;
};

const thread = ({ answer }: About): Partial<Message> =>
  answer === undefined
    ? {}
    : {
        conversationIndex: nextConversationIndex(answer.message.conversationIndex),
        conversationId: answer.message.conversationId,
        ...(answer.kind === 'forward' ? {} : { inReplyTo: answer.message.internetMessageId }),
      };
