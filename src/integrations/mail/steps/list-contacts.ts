import { z } from 'zod';
import { counted, defineStep, type Path, type StepContext } from '#kit';
import { zonesOf } from '../calendars.ts';
import { Cursor, collect, Limit, listEnd } from '../collect.ts';
import { contactPaths, FolderInput } from '../contact-folders.ts';
import { Contact, ContactFields, contactSelect, contactView, WireContact } from '../contact-shapes.ts';
import { Mailbox } from '../shapes.ts';
import { readTime, TimeInput, utcZone, ZoneInput } from '../times.ts';
import { zoneNamed } from '../zones.ts';

export const listContacts = defineStep({
  name: 'list_contacts',
  title: 'List Contacts',
  group: 'Contacts',
  purpose: 'List all contacts of the address book, or those of one folder.',
  effect: 'read',
  scopes: [['Contacts.Read', 'Contacts.ReadWrite']],
  input: z.object({
    folder: FolderInput.describe(
      'Contact folder, by id or exact name ("Contacts" is the default one); all if left out.',
    ),
    modifiedSince: TimeInput.optional().describe(
      'Only contacts changed since then: RFC 3339, or local time in timeZone.',
    ),
    timeZone: ZoneInput.describe(
      'Time zone, by IANA or Windows name: of modifiedSince without an offset (that of the mailbox if left out), and of the answer (UTC if left out).',
    ),
    view: z.enum(['summary', 'full']).default('summary').describe('full adds addresses, birthday and notes.'),
    fields: ContactFields,
    limit: Limit,
    cursor: Cursor,
    mailbox: Mailbox,
  }),
  output: z.object({
    items: z.array(Contact.partial()),
    ...listEnd,
    total: z.number().optional().describe('How many there are in all; told with the first page.'),
  }),
  summary: ({ items, nextCursor }) => counted(items.length, ['contact', 'contacts'], nextCursor !== undefined),
  run: async ({ folder, modifiedSince, timeZone, view, fields, limit, cursor, mailbox }, context) => {
    const filter = modifiedSince === undefined ? {} : { $filter: await changedSince(context, modifiedSince, timeZone) };
    const zone = timeZone === undefined ? utcZone : zoneNamed(timeZone);
    const paths = await contactPaths(context, mailbox, folder);
    const sources = paths.map((path) => ({ path, query: { ...filter, $select: contactSelect, $top: limit } }));
    const { items, ...end } = await collect(context.upstream, sources, {
      limit,
      cursor,
      maxPages: 20 + sources.length,
      keep: (entry) => contactView(WireContact.parse(entry), { view, fields }, zone),
    });
    if (cursor !== undefined) return { items, ...end };
    return { items, ...end, total: end.truncated ? await countOf(context, paths, filter) : items.length };
  },
});

const changedSince = async (context: StepContext, since: TimeInput, timeZone: string | undefined): Promise<string> => {
  const zones = await zonesOf(context, timeZone, [since]);
  return `lastModifiedDateTime ge ${new Date(readTime('modifiedSince', since, zones).instant).toISOString()}`;
};

const Counted = z.object({ '@odata.count': z.number() });

const countOf = async (
  { upstream }: StepContext,
  paths: readonly Path[],
  filter: { $filter?: string },
): Promise<number> => {
  let total = 0;
  for (const place of paths) {
    const query = { ...filter, $count: true, $top: 1, $select: 'id' };
    total += Counted.parse(await upstream.get(place, { query }))['@odata.count'];
  }
  return total;
};
