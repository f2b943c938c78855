import { GraphError } from '../graph-error.ts';
import type { EmailAddress, Mailbox, Message } from '../mailbox.ts';
import type { GraphRequest } from '../route.ts';
import type { Mail, World } from '../world.ts';
import { addressOf } from './draft.ts';
import { wellKnownFolder } from './find.ts';
import { moveMessage, removeMessage, restoreMessage, updateMessage } from './store.ts';

const mostRecipients = 500;
const largestMessage = 35 * 1024 * 1024;
const resolvable = /^[^\s@<>]+@[^\s@<>]+$/;

const checkRecipients = (message: Pick<Message, 'to' | 'cc' | 'bcc'>): void => {
  const all = [...message.to, ...message.cc, ...message.bcc];
  if (all.length === 0) {
    throw new GraphError(
      400,
      'ErrorInvalidRecipients',
      'At least one recipient is not valid., No recipients were specified.',
    );
  }
  const bad = all.find(({ address }) => !resolvable.test(address));
  if (bad !== undefined) {
    throw new GraphError(
      400,
      'ErrorInvalidRecipients',
      `At least one recipient is not valid., Recipient '${bad.address.slice(0, 100)}' is not resolved. All recipients must be resolved before a message can be submitted.`,
    );
  }
  if (all.length > mostRecipients) {
    throw new GraphError(
      400,
      'ErrorExceededMaxRecipientLimit',
      `A message can have at most ${mostRecipients} recipients.`,
    );
  }
};

/** In whose name the mail leaves, and who sends it. Another's name needs the right to send as them. */
const authors = ({ world, session, mailbox }: GraphRequest, from: EmailAddress | null) => {
  const own = addressOf(world, mailbox);
  const claimed = from === null || from.address === '' ? own : from;
  const person = world.person(claimed.address);
  const allowed =
    person?.id === session.person.id ||
    (person !== undefined && world.mailboxes.get(person.id)?.delegates.get(session.person.id)?.sendAs === true);
  if (!allowed) {
    throw new GraphError(
      403,
      'ErrorSendAsDenied',
      'The user account which was used to submit this request does not have the right to send mail on behalf of the specified sending account., Cannot submit message.',
    );
  }
  const name = person?.displayName ?? claimed.name;
  return { from: { name, address: person?.address ?? claimed.address }, sender: own };
};

/** Everything that can be refused at once; what goes wrong later comes as mail. */
export const checkSubmission = (
  request: GraphRequest,
  message: Pick<Message, 'to' | 'cc' | 'bcc' | 'from' | 'attachments'>,
): { from: EmailAddress; sender: EmailAddress } => {
  checkRecipients(message);
  if (message.attachments.reduce((sum, { size }) => sum + size, 0) > largestMessage) {
    throw new GraphError(400, 'ErrorMessageSizeExceeded', 'The message exceeds the maximum supported size.');
  }
  return authors(request, message.from);
};

const mailOf = (message: Message): Mail => ({
  from: message.from as EmailAddress,
  ...(message.sender === null ? {} : { sender: message.sender }),
  to: message.to,
  cc: message.cc,
  bcc: message.bcc,
  replyTo: message.replyTo,
  subject: message.subject,
  body: message.body,
  headers: [
    ...(message.inReplyTo === undefined ? [] : [{ name: 'In-Reply-To', value: message.inReplyTo }]),
    ...message.headers,
  ],
  attachments: message.attachments,
  importance: message.importance,
  internetMessageId: message.internetMessageId,
  conversationId: message.conversationId,
  conversationIndex: message.conversationIndex,
});

/**
 * Sends a draft that is in the mailbox. It leaves at once; its copy reaches Sent Items after the lag, with a new
 * ordinary id. With `hide`, the draft is nowhere to be found in between.
 */
export const submit = (world: World, mailbox: Mailbox, draft: Message, how: { save: boolean; hide: boolean }): void => {
  const mail = mailOf(draft);
  if (how.hide) removeMessage(world, mailbox, draft);
  const settle = () => {
    const present = mailbox.messages.get(draft.seq) === draft;
    if (!how.hide && !present) return;
    const now = world.now();
    const sentItems = wellKnownFolder(mailbox, 'sentitems');
    if (how.hide) {
      if (how.save) restoreMessage(world, mailbox, sentItems, draft, { isDraft: false, sent: now, received: now });
    } else if (how.save) {
      updateMessage(world, mailbox, draft, { isDraft: false, sent: now, received: now });
      moveMessage(world, mailbox, draft, sentItems);
    } else removeMessage(world, mailbox, draft);
  };
  world.send(mail);
  world.later(settle);
};
