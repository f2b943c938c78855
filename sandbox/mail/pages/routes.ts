import { type Context, Hono } from 'hono';
import { GraphError } from '../graph-error.ts';
import type { Folder, Message } from '../mailbox.ts';
import { contentOf } from '../messages/attachment-view.ts';
import { findFolder, findMessage, wellKnownFolder } from '../messages/find.ts';
import { moveMessage, removeMessage, updateMessage } from '../messages/store.ts';
import type { World } from '../world.ts';
import { type About, answerKinds, composePage, firstLetter } from './compose-page.ts';
import { faultsPage } from './faults-page.ts';
import { folderName } from './folder-list.ts';
import { mailboxPage } from './mailbox-page.ts';
import { messageBody } from './message-body.ts';
import { outboxPage } from './outbox-page.ts';
import { sendLetter } from './send-letter.ts';
import { signInPage, type Visitor, visit, visitorOf } from './visitor.ts';

class NotSignedIn extends Error {}

const mustVisit = (c: Context, world: World): Visitor => {
  const visitor = visitorOf(c, world);
  if (visitor === undefined) throw new NotSignedIn();
  return visitor;
};

const placeOf = (c: Context, world: World): Visitor & { folder: Folder; message: Message } => {
  const visitor = mustVisit(c, world);
  const folder = findFolder(visitor.mailbox, c.req.param('folder') ?? '');
  return { ...visitor, folder, message: findMessage(visitor.mailbox, c.req.param('message') ?? '') };
};

const seeOther = (location: string) => new Response(null, { status: 303, headers: { Location: location } });
const toFolder = (folder: Folder) => seeOther(`/mail/${encodeURIComponent(folderName(folder))}`);

const readRoutes = (world: World) =>
  new Hono()
    .get('/:folder', (c) => {
      const visitor = mustVisit(c, world);
      const skip = Number(c.req.query('skip') ?? 0);
      const folder = findFolder(visitor.mailbox, c.req.param('folder'));
      return mailboxPage(world, visitor, folder, undefined, Number.isSafeInteger(skip) && skip > 0 ? skip : 0);
    })
    .get('/:folder/:message', (c) => {
      const { folder, message, ...visitor } = placeOf(c, world);
      if (!message.isRead) updateMessage(world, visitor.mailbox, message, { isRead: true });
      return mailboxPage(world, visitor, folder, message, 0);
    })
    .get('/:folder/:message/body', (c) => messageBody(placeOf(c, world).message))
    .get('/:folder/:message/attachments/:id', (c) => {
      const file = placeOf(c, world).message.attachments.find(({ id }) => id === c.req.param('id'));
      if (file === undefined) return c.notFound();
      return new Response(new Uint8Array(contentOf(file)), {
        headers: {
          // Never shown by the browser itself, whatever the mail says it is.
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll("'", '%27')}`,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "default-src 'none'; sandbox",
        },
      });
    });

const changeRoutes = (world: World) =>
  new Hono().post('/:folder/:message/:action', async (c) => {
    const { mailbox, folder, message } = placeOf(c, world);
    switch (c.req.param('action')) {
      case 'read':
      case 'unread':
        updateMessage(world, mailbox, message, { isRead: c.req.param('action') === 'read' });
        return toFolder(folder);
      case 'move': {
        const { to } = await c.req.parseBody();
        if (typeof to === 'string' && to !== '') moveMessage(world, mailbox, message, findFolder(mailbox, to));
        return toFolder(folder);
      }
      case 'delete':
        if (folder.wellKnown === 'deleteditems') removeMessage(world, mailbox, message);
        else moveMessage(world, mailbox, message, wellKnownFolder(mailbox, 'deleteditems'));
        return toFolder(folder);
      default:
        return c.notFound();
    }
  });

type Fields = Record<string, string | File | (string | File)[] | undefined>;
const textField = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};

/** Which message is answered or which draft goes on, by the field that names it. */
const aboutOf = ({ mailbox }: Visitor, fields: Fields): About => {
  const kind = answerKinds.find((each) => textField(fields, each) !== '');
  const draft = textField(fields, 'draft');
  return {
    ...(kind === undefined ? {} : { answer: { kind, message: findMessage(mailbox, textField(fields, kind)) } }),
    ...(draft === '' ? {} : { draft: findMessage(mailbox, draft) }),
  };
};

const composeRoutes = (world: World) =>
  new Hono()
    .get('/', (c) => {
      const visitor = mustVisit(c, world);
      const about = aboutOf(visitor, c.req.query());
      return composePage(visitor, firstLetter(world, visitor.mailbox, about), about);
    })
    .post('/', async (c) => {
      const visitor = mustVisit(c, world);
      const fields: Fields = await c.req.parseBody({ all: true });
      const about = aboutOf(visitor, fields);
      const letter = {
        to: textField(fields, 'to'),
        cc: textField(fields, 'cc'),
        bcc: textField(fields, 'bcc'),
        subject: textField(fields, 'subject'),
        text: textField(fields, 'text'),
      };
      const files = [fields.files ?? []].flat().filter((file) => file instanceof File && file.size > 0) as File[];
      const purpose = textField(fields, 'do') === 'save' ? 'save' : 'send';
      const mistake = await sendLetter(world, visitor.mailbox, letter, about, files, purpose);
      if (mistake !== undefined) return composePage(visitor, letter, about, mistake);
      return seeOther(purpose === 'send' ? '/mail/sentitems' : '/mail/drafts');
    });

/** The pages for people: a mailbox to read and write in, the outbox, the fault panel. */
export const pageRoutes = (world: World): Hono =>
  new Hono()
    .onError((error, c) => {
      if (error instanceof NotSignedIn) return seeOther('/');
      if (!(error instanceof GraphError)) throw error;
      return c.html(
        `<!doctype html><title>Gone</title><p>This message or folder is no longer here. <a href="/">Back to the mailbox</a></p>`,
        404,
      );
    })
    .get('/', (c) => (visitorOf(c, world) === undefined ? signInPage(world) : seeOther('/mail/inbox')))
    .post('/sign-in', async (c) => {
      const { person } = await c.req.parseBody();
      const found = typeof person === 'string' ? world.person(person.trim()) : undefined;
      if (found === undefined || !world.mailboxes.has(found.id))
        return signInPage(world, 'Nobody here has that address.');
      return visit('/mail/inbox', found.id);
    })
    .post('/sign-out', () => visit('/', undefined))
    .get('/_control/pulse', (c) => c.text(String(visitorOf(c, world)?.mailbox.clock ?? 0)))
    .route('/mail', readRoutes(world))
    .route('/mail', changeRoutes(world))
    .route('/compose', composeRoutes(world))
    .get('/outbox', (c) => outboxPage(world, visitorOf(c, world)))
    .get('/faults', (c) => faultsPage(world, visitorOf(c, world)));
