import { newItemId } from '../ids.ts';
import type { EmailAddress, Header, Mailbox, Message } from '../mailbox.ts';
import {
  conversationIdOf,
  draftFields,
  newConversationIndex,
  newInternetMessageId,
  nextConversationIndex,
} from '../messages/draft.ts';
import { findFolder } from '../messages/find.ts';
import { addMessage } from '../messages/store.ts';
import { previewOf, wholeHtml } from '../text.ts';
import type { Mail, World } from '../world.ts';
import { automaticReply } from './auto-reply.ts';
import { bounce } from './bounce.ts';

const recipientsOf = (mail: Mail): EmailAddress[] => [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])];
const listed = (list: readonly EmailAddress[] = []): string[] => list.map(({ address }) => address);

/** The message an In-Reply-To names, so that answers from outside join their thread. */
const answered = (mailbox: Mailbox, headers: readonly Header[]): Message | undefined => {
  const id = headers.find(({ name }) => name.toLowerCase() === 'in-reply-to')?.value;
  return id === undefined ? undefined : mailbox.timeline.findLast(({ internetMessageId }) => internetMessageId === id);
};

const transportHeaders = (mail: Mail, id: string, now: number): Header[] => {
  const one = ({ name, address }: EmailAddress) => `"${name}" <${address}>`;
  const date = new Date(now).toUTCString().replace('GMT', '+0000');
  return [
    { name: 'Received', value: `from mail.sandbox.test (127.0.0.1) by mail.sandbox.test (127.0.0.1); ${date}` },
    { name: 'From', value: one(mail.from) },
    { name: 'To', value: mail.to.map(one).join(', ') },
    ...((mail.cc ?? []).length === 0 ? [] : [{ name: 'CC', value: (mail.cc ?? []).map(one).join(', ') }]),
    { name: 'Subject', value: mail.subject },
    { name: 'Date', value: date },
    { name: 'Message-ID', value: id },
    ...(mail.headers ?? []),
  ];
};

const putInto = (world: World, mailbox: Mailbox, mail: Mail, internetMessageId: string): Message => {
  const now = mail.receivedAt ?? world.now();
  const headers = transportHeaders(mail, internetMessageId, now);
  const original = mail.conversationIndex === undefined ? answered(mailbox, headers) : undefined;
  const index =
    mail.conversationIndex ??
    (original === undefined ? newConversationIndex() : nextConversationIndex(original.conversationIndex));
  const body = mail.body.contentType === 'html' ? { ...mail.body, content: wholeHtml(mail.body.content) } : mail.body;
  return addMessage(world, mailbox, findFolder(mailbox, mail.folder ?? 'inbox'), {
    ...draftFields(world, mailbox, {}),
    subject: mail.subject,
    body,
    preview: previewOf(body),
    from: mail.from,
    sender: mail.sender ?? mail.from,
    to: mail.to,
    cc: mail.cc ?? [],
    replyTo: mail.replyTo ?? [],
    received: now,
    sent: now,
    created: now,
    internetMessageId,
    conversationIndex: index,
    conversationId: mail.conversationId ?? original?.conversationId ?? conversationIdOf(index),
    importance: mail.importance ?? 'normal',
    isRead: false,
    isDraft: false,
    headers,
    attachments: (mail.attachments ?? []).map((attachment) => ({ ...attachment, id: newItemId(mailbox) })),
    ...(mail.meeting === undefined ? {} : { meeting: mail.meeting }),
  });
};

/** Each mailbox once, however often the mail names it. */
const mailboxesFor = (world: World, mail: Mail): Mailbox[] => [
  ...new Set(recipientsOf(mail).flatMap(({ address }) => world.mailboxOf(address) ?? [])),
];

export const deliver = (world: World, mail: Mail): Message[] => {
  const id = mail.internetMessageId ?? newInternetMessageId();
  return mailboxesFor(world, mail).map((mailbox) => {
    const message = putInto(world, mailbox, mail, id);
    const reply = mail.automatic ? undefined : automaticReply(world, mailbox, mail);
    if (reply !== undefined) send(world, reply);
    return message;
  });
};

/** Into the outbox now; with the recipients, or back as undeliverable, after the lag. */
export const send = (world: World, mail: Mail): void => {
  const internetMessageId = mail.internetMessageId ?? newInternetMessageId();
  const now = world.now();
  world.outbox.push({
    id: `sent-${world.outbox.length + 1}`,
    from: mail.from.address,
    to: listed(mail.to),
    cc: listed(mail.cc),
    bcc: listed(mail.bcc),
    subject: mail.subject,
    headers: mail.headers ?? [],
    sentAt: new Date(now).toISOString(),
    internetMessageId,
    body: mail.body,
    attachments: (mail.attachments ?? []).map(({ name, size }) => ({ name, size })),
    automatic: mail.automatic === true,
  });
  const travelling = structuredClone({ ...mail, internetMessageId });
  world.later(() => {
    deliver(world, travelling);
    const report = mail.automatic ? undefined : bounce(world, travelling);
    if (report !== undefined) deliver(world, report);
  });
};
