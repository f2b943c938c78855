import type { Json, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import { readContact } from './fields.ts';
import { addFolder, createContact, defaultFolderId } from './store.ts';

type Card = {
  name: string;
  mail: string;
  phone?: string;
  company?: string;
  job?: string;
  city?: string;
  notes?: string;
};

const adas: Card[] = [
  { name: 'Ben Okafor', mail: 'ben@sandbox.test', company: 'Sandbox', job: 'Account Manager' },
  {
    name: 'Grace Lindqvist',
    mail: 'grace.lindqvist@fabrikam.test',
    phone: '+46 8 555 0142',
    company: 'Fabrikam',
    job: 'Head of Purchasing',
    city: 'Stockholm',
  },
  {
    name: 'Tom Adeyemi',
    mail: 'tom@northwind.test',
    phone: '+44 20 7946 0018',
    company: 'Northwind',
    job: 'Account Manager',
    city: 'London',
  },
  {
    name: "Siobhán O'Brien",
    mail: 'siobhan.obrien@contoso.test',
    company: 'Contoso',
    job: 'Legal Counsel',
    city: 'Dublin',
  },
  {
    name: 'Mei Tanaka',
    mail: 'mei.tanaka@fabrikam.test',
    phone: '+81 3 5550 0117',
    company: 'Fabrikam',
    job: 'Engineer',
    city: 'Tokyo',
  },
  {
    name: 'Luis Ferreira',
    mail: 'luis@tailspin.test',
    company: 'Tailspin',
    job: 'Illustrator',
    city: 'Porto',
    notes: 'Prefers mail.',
  },
  { name: 'Hanna Weiss', mail: 'hanna.weiss@contoso.test', company: 'Contoso', job: 'Finance', city: 'Wien' },
];
const suppliers: Card[] = [
  {
    name: 'Paper Street Print',
    mail: 'orders@paperstreet.test',
    phone: '+44 161 496 0033',
    company: 'Paper Street Print',
  },
  { name: 'Wide World Couriers', mail: 'dispatch@wideworld.test', company: 'Wide World Couriers' },
];
const bens: Card[] = [
  { name: 'Ada Marsh', mail: 'ada@sandbox.test', company: 'Sandbox', job: 'Head of Operations' },
  { name: 'Luis Ferreira', mail: 'luis@tailspin.test', company: 'Tailspin', job: 'Illustrator' },
  { name: 'Noor Haddad', mail: 'noor@relecloud.test', company: 'Relecloud', job: 'Researcher', city: 'Amsterdam' },
];
const cys: Card[] = [
  { name: 'Mum', mail: 'rosa@family.test', phone: '+34 91 555 0175' },
  { name: 'Ana Rivas', mail: 'ana.rivas@family.test', city: 'Sevilla' },
  { name: 'Plumber Pete', mail: 'pete@pipes.test', phone: '+44 113 496 0099' },
];

const fieldsOf = ({ name, mail, phone, company, job, city, notes }: Card): Json => {
  const [givenName = name, ...rest] = company === name ? [name] : name.split(' ');
  return {
    givenName,
    ...(rest.length > 0 && { surname: rest.join(' ') }),
    displayName: name,
    emailAddresses: [{ name, address: mail }],
    businessPhones: phone === undefined ? [] : [phone],
    ...(company !== undefined && { companyName: company }),
    ...(job !== undefined && { jobTitle: job }),
    ...(city !== undefined && { businessAddress: { city } }),
    ...(notes !== undefined && { personalNotes: notes }),
  };
};

/** The people that ada, ben and cy know. */
export const seedContacts = (world: World): void => {
  const fill = (mailbox: Mailbox | undefined, cards: readonly Card[], folder?: string): void => {
    if (mailbox === undefined) return;
    const folderId = folder === undefined ? defaultFolderId(mailbox) : addFolder(mailbox, folder).id;
    for (const card of cards) createContact(world, mailbox, folderId, readContact(fieldsOf(card)));
  };
  fill(world.mailboxOf('ada@sandbox.test'), adas);
  fill(world.mailboxOf('ada@sandbox.test'), suppliers, 'Suppliers');
  fill(world.mailboxOf('ben@sandbox.test'), bens);
  fill(world.mailboxOf('cy@sandbox.test'), cys);
};
