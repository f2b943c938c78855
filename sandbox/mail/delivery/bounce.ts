import { escapeHtml } from '../text.ts';
import type { Mail, World } from '../world.ts';

/** The non-delivery report for addresses of the sandbox's own domain that nobody has. */
export const bounce = (world: World, mail: Mail): Mail | undefined => {
  const { domain } = world.behaviour;
  const unknown = [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])].filter(
    ({ address }) => address.toLowerCase().endsWith(`@${domain}`) && world.person(address) === undefined,
  );
  if (unknown.length === 0) return undefined;
  const list = unknown.map(({ address }) => `<li>${escapeHtml(address)}</li>`).join('');
  const content = `<p><b>Delivery has failed to these recipients or groups:</b></p><ul>${list}</ul><p>The email address you entered couldn't be found. Please check the recipient's email address and try to resend the message.</p><p>Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'</p>`;
  return {
    from: { name: 'Microsoft Outlook', address: `postmaster@${domain}` },
    to: [mail.sender ?? mail.from],
    subject: `Undeliverable: ${mail.subject}`,
    body: { contentType: 'html', content },
    headers: [
      { name: 'Auto-Submitted', value: 'auto-replied' },
      { name: 'X-Failed-Recipients', value: unknown.map(({ address }) => address).join(', ') },
      ...(mail.internetMessageId === undefined ? [] : [{ name: 'In-Reply-To', value: mail.internetMessageId }]),
    ],
    ...(mail.conversationId === undefined ? {} : { conversationId: mail.conversationId }),
    ...(mail.conversationIndex === undefined ? {} : { conversationIndex: mail.conversationIndex }),
    automatic: true,
  };
};
