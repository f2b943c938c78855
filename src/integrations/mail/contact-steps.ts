import { createContact } from './steps/create-contact.ts';
import { findContact } from './steps/find-contact.ts';
import { listContacts } from './steps/list-contacts.ts';
import { updateContact } from './steps/update-contact.ts';

export const contactSteps = [createContact, findContact, listContacts, updateContact];
