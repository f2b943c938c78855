import { z } from 'zod';
import { Authentication } from '../message-headers.ts';
import { AttachmentSummary, Person } from '../shapes.ts';

/** Where mail on its way out lies. It is nobody's new mail. */
export const outgoing: ReadonlySet<string> = new Set(['drafts', 'outbox', 'sentitems']);

/** Where junk lies that nobody has taken for mail: to throw it away is not to want it. */
export const isUnwanted = (wellKnownName: string | null | undefined): boolean =>
  wellKnownName === 'junkemail' || wellKnownName === 'deleteditems';

/** A folder by all the names that people and configurations use for it. */
export const Folder = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  wellKnownName: z.string().nullable(),
});
export type Folder = z.output<typeof Folder>;

/** An incoming message, with all that triggers judge by and show. */
export const Delivery = z.object({
  type: z.literal('message'),
  mailbox: z.object({
    id: z.string(),
    /** Of a shared mailbox: how it is addressed. */
    shared: z.string().nullable(),
    zone: z.string(),
  }),
  id: z.string(),
  internetMessageId: z.string().nullable(),
  conversationId: z.string().nullable(),
  subject: z.string(),
  from: Person.nullable(),
  sender: Person.nullable(),
  replyTo: z.array(Person),
  to: z.array(Person),
  cc: z.array(Person),
  bcc: z.array(Person),
  receivedAt: z.iso.datetime(),
  sentAt: z.iso.datetime().nullable(),
  isRead: z.boolean(),
  importance: z.enum(['low', 'normal', 'high']),
  categories: z.array(z.string()),
  folder: Folder.refine(({ wellKnownName }) => wellKnownName === null || !outgoing.has(wellKnownName)),
  hasAttachments: z.boolean(),
  attachments: z.array(AttachmentSummary),
  body: z.object({
    contentType: z.enum(['text', 'html']),
    content: z.string(),
    /** Set where the service has more than is kept here. */
    isCut: z.boolean(),
  }),
  authentication: Authentication,
  isAutomatic: z.boolean(),
  /** What Switchboard wrote into a mail that it sent. */
  marker: z.string().nullable(),
  webLink: z.string().nullable(),
});
export type Delivery = z.output<typeof Delivery>;

const sound = new WeakSet<object>();

/** Many triggers ask about the same delivery: it is checked once, and stays the same object for all of them. */
export const KnownDelivery = z.custom<Delivery>((value) => {
  if (typeof value !== 'object' || value === null) return false;
  if (sound.has(value)) return true;
  const fits = Delivery.safeParse(value).success;
  if (fits) sound.add(value);
  return fits;
});
