import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';

/** What people attach runs nothing and loads nothing, even if a browser were made to show it. Mount outside the others. */
export const sealContent = createMiddleware(async (c, next) => {
  await next();
  c.header('content-security-policy', "default-src 'none'; sandbox");
});

/** Nothing of ours is framed, sniffed or cached by others, and our pages load nothing from elsewhere. */
export const securityHeaders = (publicUrl: URL) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
    crossOriginOpenerPolicy: 'same-origin-allow-popups',
    // Not `no-referrer`: browsers would then hide our own origin from us when a form is sent.
    referrerPolicy: 'same-origin',
    strictTransportSecurity: publicUrl.protocol === 'https:' ? 'max-age=31536000; includeSubDomains' : false,
    xFrameOptions: 'DENY',
  });
