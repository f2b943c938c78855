import { ExternalLink } from 'lucide-react';
import type { Integration } from '../../../../client/src/index.ts';

type Guide = Integration['auth'][number]['guide'];

const Out = ({ href, children }: { href: string; children: string }) => (
  <a className="link [overflow-wrap:anywhere]" href={href} target="_blank" rel="noreferrer">
    {children} <ExternalLink aria-label="(opens a new tab)" className="mb-0.5 inline size-3.5" />
  </a>
);

const authorizeWith = (authorizeUrl: string, apiKey: string): string => {
  const url = new URL(authorizeUrl);
  url.searchParams.set('key', apiKey);
  return url.href;
};

/** How to obtain an API key and a token, with the addresses of the service that is used here. */
export const KeyTokenGuide = ({ guide, apiKey }: { guide: Guide; apiKey: string }) => {
  if (guide === undefined) return null;
  const hasKey = /^[0-9a-f]{32}$/.test(apiKey);
  const address = authorizeWith(guide.authorizeUrl, hasKey ? apiKey : 'YOUR_API_KEY');
  // The service's own pages name now one and now the other.
  const newer = new URL('/apps/admin', guide.registerUrl).href;
  return (
    <section aria-label="How to obtain them" className="grid content-start gap-3 rounded-xl bg-sunken p-4">
      <h3 className="text-sm">How to obtain them</h3>
      <ol className="grid list-decimal gap-3 pl-5 marker:text-muted">
        <li>
          Signed in to the board service, open <Out href={guide.registerUrl}>{guide.registerUrl}</Out> (its newer
          address is <Out href={newer}>{newer}</Out>), create a new entry with a name, and copy the API key it shows.
          Paste it here.
        </li>
        <li>
          {hasKey ? (
            <>
              Open <Out href={address}>the page that grants a token</Out>:
            </>
          ) : (
            'Once the key is pasted, the link to the page that grants a token appears here:'
          )}
          <code className="mt-1.5 block rounded-lg bg-raised p-2.5 font-mono text-xs [overflow-wrap:anywhere]">
            {decodeURIComponent(address)}
          </code>
        </li>
        <li>Choose Allow, copy the token that is shown, and paste it here.</li>
      </ol>
      <p className="text-xs text-muted">
        Treat both like passwords: never publish or commit them. They are stored sealed and are never shown again. This
        way is meant for service accounts and automation; for people, Connect is better.
      </p>
    </section>
  );
};
