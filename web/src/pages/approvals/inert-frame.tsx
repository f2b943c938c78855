import { useCallback, useEffect, useRef, useState } from 'react';

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** In letters as large as those around it; a page in a frame does not know them. */
const paper = (): string =>
  `margin: 0; padding: 16px; font: ${0.9375 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)}px/1.5 system-ui, sans-serif; color: #141a26; background: #ffffff;`;
const linkLook = 'color: #3f3ad6; text-decoration: underline; cursor: help;';

const page = (html: string): string =>
  `<!doctype html><html lang=""><head><meta http-equiv="content-security-policy" content="${policy}"></head><body>${html}</body></html>`;

/**
 * Shows inert HTML on white paper. Nothing in the frame can run: the sandbox admits no script, form, window or way out,
 * and both the page's policy and its own admit no address. `allow-same-origin` lets us, from outside, measure it and put
 * in the styles that our policy refuses in a source.
 */
export const InertFrame = ({ html, title }: { html: string; title: string }) => {
  const place = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(120);

  const measure = useCallback(() => {
    const body = place.current?.contentDocument?.body;
    if (body) setHeight(Math.min(Math.max(body.scrollHeight, 60), 20_000));
  }, []);

  const dress = () => {
    const inside = place.current?.contentDocument;
    if (!inside) return;
    inside.body.style.cssText = `${paper()} overflow-x: auto; overflow-wrap: anywhere;`;
    for (const element of inside.body.querySelectorAll<HTMLElement>('[data-style], [data-link], img, table')) {
      element.style.cssText = `${element.dataset['style'] ?? ''}${'link' in element.dataset ? `; ${linkLook}` : ''}`;
      if (element.tagName === 'IMG' || element.tagName === 'TABLE') element.style.maxWidth = '100%';
    }
    measure();
  };

  useEffect(() => {
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [measure]);

  return (
    <iframe
      ref={place}
      title={title}
      sandbox="allow-same-origin"
      srcDoc={page(html)}
      onLoad={dress}
      style={{ height }}
      className="block w-full rounded-lg border border-line bg-white focus:outline-2 focus:outline-offset-2 focus:outline-accent"
    />
  );
};
