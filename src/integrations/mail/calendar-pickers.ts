import { z } from 'zod';
import { definePicker, path } from '#kit';
import { Calendars } from './calendars.ts';
import { allFolders } from './contact-folders.ts';
import { Mailbox } from './shapes.ts';
import { below, prefer } from './wire.ts';

const InMailbox = z.object({ mailbox: Mailbox });

export const calendars = definePicker({
  name: 'calendars',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) => {
    const query = { $select: 'id,name', $top: 200 };
    const answer = await upstream.get(below(mailbox, path`/calendars`), { query, headers: prefer() });
    return Calendars.parse(answer).value.map(({ id, name }) => ({ value: id, label: name }));
  },
});

export const contactFolders = definePicker({
  name: 'contactFolders',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) => {
    const found = await allFolders({ upstream }, mailbox);
    return [
      { value: 'contacts', label: 'Contacts', hint: 'default' },
      ...found.map(({ id, displayName }) => ({ value: id, label: displayName })),
    ];
  },
});
