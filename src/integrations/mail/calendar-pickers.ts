import { z } from 'zod';
import { definePicker } from '#kit';
import { calendarsOf } from './calendars.ts';
import { allFolders } from './contact-folders.ts';
import { Mailbox } from './shapes.ts';

const InMailbox = z.object({ mailbox: Mailbox });

export const calendars = definePicker({
  name: 'calendars',
  query: InMailbox,
  options: async ({ mailbox }, { upstream }) =>
    (await calendarsOf({ upstream }, mailbox)).map(({ id, name }) => ({ value: id, label: name })),
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
