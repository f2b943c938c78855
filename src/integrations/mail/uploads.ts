import { z } from 'zod';
import { Fault, type UploadWay } from '#kit';

const Opened = z.object({ uploadUrl: z.string() });
const Expected = z.object({ nextExpectedRanges: z.array(z.string()).min(1) });
const Named = z.object({ id: z.string() });

/** How the service takes attachments of 3 MB and more: in parts of less than 4 MB, each a multiple of 320 KiB, in order. */
export const uploads: UploadWay = {
  partBytes: 12 * 320 * 1024,
  addressIn: (body) => Opened.safeParse(body).data?.uploadUrl,
  readPart: ({ status, headers, body }) => {
    if (status === 416) return 'had';
    if (status === 404 || status === 410) return 'gone';
    if (status >= 300) {
      throw new Fault(
        'upstream_rejected',
        `The mail service refused the file (status ${status}); nothing was attached.`,
        {
          details: { upstream: { status } },
        },
      );
    }
    const expected = Expected.safeParse(body);
    // A single number, or the beginning of a range: "2097152" as well as "2097152-".
    if (expected.success) return { next: Number.parseInt(expected.data.nextExpectedRanges[0] ?? '', 10) || 0 };
    const [, id] = /Attachments\('([^']+)'\)/i.exec(headers['location'] ?? '') ?? [];
    return { made: Named.safeParse(body).data ?? (id === undefined ? null : { id: decodeURIComponent(id) }) };
  },
};
