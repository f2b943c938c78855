import type { Mailbox } from '../mailbox.ts';
import { conversationIdOf, draftFields, newConversationIndex } from '../messages/draft.ts';
import { wellKnownFolder } from '../messages/find.ts';
import { addMessage } from '../messages/store.ts';
import { previewOf, wholeHtml } from '../text.ts';
import type { World } from '../world.ts';

const senders = ['Nora Quist', 'Omar Haddad', 'Pia Ferreira', 'Quentin Roux', 'Rosa Alba', 'Sam Whitlock'].map(
  (name) => ({
    name,
    address: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  }),
);
const topics = [
  'Weekly figures',
  'Delivery window',
  'Invoice',
  'Visit on site',
  'Contract draft',
  'Question about the order',
];
const bodies = topics.map((topic) => ({
  contentType: 'html' as const,
  content: wholeHtml(
    `<p>Hello,</p><p>${topic}: please find the details below and tell us whether they suit you.</p><p>Kind regards</p>`,
  ),
}));
const minute = 60_000;

/** Many messages in the Inbox, one a minute into the past; texts are shared so that a hundred thousand fit. */
export const seedMessages = (world: World, mailbox: Mailbox, count: number): void => {
  const inbox = wellKnownFolder(mailbox, 'inbox');
  const owner = world.people.get(mailbox.owner);
  const to = [{ name: owner?.displayName ?? '', address: owner?.address ?? '' }];
  const base = draftFields(world, mailbox, {});
  const newest = Math.min(world.now(), mailbox.timeline[0]?.received ?? Number.POSITIVE_INFINITY) - minute;
  const previews = bodies.map(previewOf);
  const indexes = Array.from({ length: 100 }, newConversationIndex);
  const conversations = indexes.map(conversationIdOf);
  for (let at = count - 1; at >= 0; at--) {
    const kind = at % topics.length;
    const when = newest - at * minute;
    const sender = senders[(at * 7) % senders.length] ?? null;
    addMessage(world, mailbox, inbox, {
      ...base,
      subject: `${topics[kind]} ${at + 1}`,
      body: bodies[kind] ?? base.body,
      preview: previews[kind] ?? '',
      from: sender,
      sender,
      to,
      received: when,
      sent: when,
      created: when,
      conversationIndex: indexes[at % indexes.length] ?? '',
      conversationId: conversations[at % indexes.length] ?? '',
      internetMessageId: `<bulk-${mailbox.nextSeq}@example.com>`,
      isRead: at % 3 !== 0,
      isDraft: false,
    });
  }
};
