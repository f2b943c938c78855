import type { ApprovalView } from '../../../../client/src/index.ts';
import { hasUnseen } from '../../ui/visible-text.tsx';
import type { FoundLink, InertHtml } from './inert-html.ts';

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Whether an address belongs to another house than the account's own. */
export const isOutside = (address: string, own: string | undefined): boolean =>
  own !== undefined && domainOf(address) !== domainOf(own);

const bare = (host: string): string => host.toLowerCase().replace(/^www\./, '');

/** The address that a link's words promise, if they look like one. */
const promised = (text: string): string | undefined => {
  const [, host] = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?:[/:?#]\S*)?$/i.exec(text.trim()) ?? [];
  return host === undefined ? undefined : bare(host);
};

const misleads = ({ text, to }: FoundLink): boolean => {
  const words = promised(text);
  if (words === undefined || /^mailto:/i.test(to)) return false;
  try {
    return bare(new URL(to).hostname) !== words;
  } catch {
    return true;
  }
};

/** What a person should look at twice, beside what the server already says. */
export const concernsOf = (
  view: Pick<ApprovalView, 'to' | 'cc' | 'bcc' | 'attachments'>,
  inert?: InertHtml,
): string[] => {
  const people = [...view.to, ...view.cc, ...view.bcc];
  const { links = [], imageHosts = [] } = inert ?? {};
  return [
    ...people
      // oxlint-disable-next-line no-control-regex -- every letter that is not plain ASCII
      .filter(({ address }) => /[^\x00-\x7f]/.test(address))
      .map(({ address }) => `The address ${address} has letters that may look like others.`),
    ...people
      .filter(({ name = '', address }) => hasUnseen(name + address))
      .map(({ address }) => `The name or address of ${address} has characters that are not seen.`),
    ...view.attachments
      .filter(({ name }) => hasUnseen(name))
      .map(({ name }) => `The file name ${name} has characters that change how it reads.`),
    ...links
      .filter(misleads)
      .map(({ text, to }) => `A link reads “${text.slice(0, 80)}” and leads to ${to.slice(0, 200)}.`),
    ...(imageHosts.length > 0
      ? [`Images are loaded from ${imageHosts.slice(0, 3).join(', ')} by whoever reads it; here they are not.`]
      : []),
  ];
};
