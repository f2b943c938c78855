import type { ApprovalView } from '../../../../client/src/index.ts';
import { hasUnseen } from '../../ui/visible-text.tsx';
import type { InertHtml } from './inert-html.ts';
import { misleads } from './misleads.ts';

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Whether an address belongs to another house than the account's own. */
export const isOutside = (address: string, own: string | undefined): boolean =>
  own !== undefined && domainOf(address) !== domainOf(own);

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
