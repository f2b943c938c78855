import type { Mailbox } from '../mailbox.ts';
import { addressOf, nextConversationIndex } from '../messages/draft.ts';
import { wholeHtml } from '../text.ts';
import type { Mail, World } from '../world.ts';

const isOn = (mailbox: Mailbox, now: number): boolean => {
  const setting = mailbox.settings.automaticRepliesSetting;
  if (setting.status !== 'scheduled') return setting.status === 'alwaysEnabled';
  const at = ({ dateTime }: { dateTime: string }) => Date.parse(`${dateTime.slice(0, 19)}Z`);
  return at(setting.scheduledStartDateTime) <= now && now < at(setting.scheduledEndDateTime);
};

const saysNo = /^(auto-submitted|x-auto-response-suppress|precedence|list-id)$/i;

/** What goes back to a sender, once each, while the recipient is away. */
export const automaticReply = (world: World, mailbox: Mailbox, mail: Mail): Mail | undefined => {
  if (!isOn(mailbox, world.now())) return undefined;
  if ((mail.headers ?? []).some(({ name, value }) => saysNo.test(name) && value.toLowerCase() !== 'no'))
    return undefined;
  const sender = mail.from.address.toLowerCase();
  const own = addressOf(world, mailbox);
  if (mailbox.autoReplied.has(sender) || sender === own.address) return undefined;
  const setting = mailbox.settings.automaticRepliesSetting;
  const tenant = world.people.get(mailbox.owner)?.tenantId;
  const internal = world.person(sender)?.tenantId === tenant;
  if (!internal && setting.externalAudience === 'none') return undefined;
  mailbox.autoReplied.add(sender);
  const content = internal ? setting.internalReplyMessage : setting.externalReplyMessage;
  return {
    from: own,
    to: [mail.from],
    subject: `Automatic reply: ${mail.subject}`,
    body: { contentType: 'html', content: wholeHtml(content) },
    headers: [
      { name: 'Auto-Submitted', value: 'auto-generated' },
      { name: 'X-Auto-Response-Suppress', value: 'All' },
      ...(mail.internetMessageId === undefined ? [] : [{ name: 'In-Reply-To', value: mail.internetMessageId }]),
    ],
    ...(mail.conversationId === undefined ? {} : { conversationId: mail.conversationId }),
    ...(mail.conversationIndex === undefined
      ? {}
      : { conversationIndex: nextConversationIndex(mail.conversationIndex) }),
    automatic: true,
  };
};
