import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Path, path } from '#kit';
import { type Workbench, workbench } from '#test';
import { type Watcher, watcher } from './watcher.fixture.ts';

let bench: Workbench;
/** A mailbox without the mail that the sandbox begins with. */
let empty: ReturnType<Workbench['mail']['snapshot']>;

beforeAll(async () => {
  bench = await workbench({ mail: true });
  const ada = watcher(bench.mail);
  await ada.order('limits', { off: true });
  const { body } = await ada.upstream.request({ method: 'GET', path: path`/me/messages`, query: { $top: 1000 } });
  for (const { id } of (body as { value: { id: string }[] }).value) {
    await ada.act('POST', path`/messages/${id}/permanentDelete`);
  }
  empty = bench.mail.snapshot();
});
afterAll(() => bench[Symbol.asyncDispose]());

/** What may happen to a mailbox. Numbers choose among what is there. */
type Deed =
  | { do: 'deliver'; folder: number; minutesAgo: number }
  | { do: 'move'; message: number; folder: number }
  | { do: 'flip' | 'delete' | 'purge' | 'copy'; message: number }
  | { do: 'make folder' | 'remove folder'; folder: number }
  | { do: 'draft' | 'send' | 'send to self' | 'expire positions' | 'catch up' | 'glance' };

const place = fc.nat(9);
const one = <Kind extends Deed['do']>(kind: Kind) => fc.constant(kind);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: one('deliver'), folder: place, minutesAgo: fc.constantFrom(0, 0, 0, 40) }) },
  { weight: 5, arbitrary: fc.record({ do: one('move'), message: place, folder: place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('flip', 'delete', 'purge', 'copy'), message: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('make folder', 'remove folder'), folder: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('draft', 'send', 'send to self', 'expire positions') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('catch up', 'glance') }) },
);

const address = 'ada@sandbox.test';

/** The message that the mailbox got last. */
const newestId = async ({ upstream }: Watcher): Promise<string> => {
  const internetMessageId = [...(bench.mail.world.mailboxOf(address)?.messages.values() ?? [])].at(
    -1,
  )?.internetMessageId;
  const query = { $filter: `internetMessageId eq '${internetMessageId}'` };
  const headers = { prefer: 'IdType="ImmutableId"' };
  const { body } = await upstream.request({ method: 'GET', path: path`/me/messages`, query, headers });
  return (body as { value: { id: string }[] }).value[0]?.id ?? '';
};

/** Lets a course of things happen, catches up wherever it says so and at the end, and compares what was told. */
const follow = async (ada: Watcher, course: readonly Deed[]) => {
  const mailbox = bench.mail.world.mailboxOf(address);
  if (mailbox === undefined) throw new Error('Nobody is here.');
  const folders = ['inbox', 'archive', 'junkemail', 'deleteditems'];
  const incoming: string[] = [];
  const sent: string[] = [];
  const told = new Map<string, Set<string>>();
  const pick = <T>(from: readonly T[], n: number): T | undefined => from[n % from.length];
  const post = (target: Path, body: object = {}) => ada.act('POST', target, body);
  const catchUp = async (how: 'catchUp' | 'glance' = 'catchUp') => {
    for (const { key, body } of (await ada[how]()).occurrences) {
      const { id } = body as { id: string };
      told.set(id, (told.get(id) ?? new Set()).add(key));
    }
  };
  const message = (recipient: string) => ({
    subject: 'Outgoing',
    body: { contentType: 'text', content: 'x' },
    toRecipients: [{ emailAddress: { address: recipient } }],
  });
  const happen = async (each: Deed): Promise<unknown> => {
    const id = 'message' in each ? pick([...incoming, ...sent], each.message) : undefined;
    const folder = 'folder' in each ? (pick(folders, each.folder) ?? 'inbox') : 'inbox';
    switch (each.do) {
      case 'deliver': {
        const receivedAt = new Date(Date.now() - each.minutesAgo * 60_000).toISOString();
        const mail = { to: address, from: 'luis@contoso.example', subject: 'Incoming', folder, receivedAt };
        return incoming.push((await ada.order('deliver', mail))['immutableId'] ?? '');
      }
      case 'move':
        return id && post(path`/messages/${id}/move`, { destinationId: folder });
      case 'copy': {
        // A copy of incoming mail is another message, and as new to the mailbox as the first.
        const answer = id && (await post(path`/messages/${id}/copy`, { destinationId: 'archive' }));
        const copy = answer ? (answer.body as { id?: string }) : {};
        return copy.id && (incoming.includes(id ?? '') ? incoming : sent).push(copy.id);
      }
      case 'flip':
        return id && ada.act('PATCH', path`/messages/${id}`, { isRead: true });
      case 'delete':
        return id && ada.act('DELETE', path`/messages/${id}`);
      case 'purge':
        return id && post(path`/messages/${id}/permanentDelete`);
      case 'make folder': {
        const body = { displayName: `Folder ${folders.length} ${Math.random()}` };
        const { body: made } = await post(path`/mailFolders/${folder}/childFolders`, body);
        return folders.push((made as { id: string }).id);
      }
      case 'remove folder':
        if (folders.indexOf(folder) < 4) return undefined;
        await ada.act('DELETE', path`/mailFolders/${folder}`);
        return folders.splice(
          0,
          folders.length,
          ...folders.filter((name) => mailbox.folders.has(mailbox.wellKnown.get(name) ?? name)),
        );
      case 'draft':
        return post(path`/messages`, message('ben@sandbox.test'));
      case 'send': {
        const { body } = await post(path`/messages`, message('ben@sandbox.test'));
        const { id: draft } = body as { id: string };
        await post(path`/messages/${draft}/send`);
        bench.mail.world.settle();
        return sent.push(draft);
      }
      case 'send to self': {
        await post(path`/sendMail`, { message: message(address), saveToSentItems: false });
        bench.mail.world.settle();
        return incoming.push(await newestId(ada));
      }
      case 'expire positions':
        return ada.order('delta', {});
      case 'catch up':
        return catchUp();
      case 'glance':
        return catchUp('glance');
    }
  };
  for (const each of course) await happen(each);
  await catchUp();
  await catchUp();
  const outgoing = new Set(['drafts', 'outbox', 'sentitems'].map((name) => mailbox.wellKnown.get(name)));
  const there = async (id: string) => {
    const { status, body } = await ada.act('GET', path`/messages/${id}`);
    return status === 200 && !outgoing.has((body as { parentFolderId: string }).parentFolderId);
  };
  for (const id of incoming) if (await there(id)) expect(told.get(id)?.size).toBe(1);
  for (const id of told.keys()) expect(incoming).toContain(id);
};

const start = async (): Promise<Watcher> => {
  bench.mail.restore(empty);
  const ada = watcher(bench.mail);
  await ada.begin(new Date(Date.now() - 60 * 60_000));
  return ada;
};

test('whatever happens meanwhile, every incoming message is told under one key, and nothing else', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (course) => {
      await follow(await start(), course);
    }),
    { numRuns: 12 },
  );
});

type Page = { value: { id: string }[] };

test('also where folders keep silent about mail that was moved', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 40 }), async (course) => {
      const ada = await start();
      const moved = new Set<string>();
      const { request, post } = ada.upstream;
      const hush = (page: Page) => {
        if (Array.isArray(page.value)) page.value = page.value.filter(({ id }) => !moved.has(id));
      };
      ada.upstream.post = async (target, options) => {
        const answer = (await post(target, options)) as { responses: { body: Page }[] };
        for (const { body } of answer.responses ?? []) hush(body);
        return answer;
      };
      ada.upstream.request = async (asked) => {
        const [, id] = /\/messages\/([^/]+)\/move$/.exec(asked.path) ?? [];
        if (id !== undefined) moved.add(decodeURIComponent(id));
        const answer = await request(asked);
        if (asked.path.endsWith('/messages/delta')) hush(answer.body as Page);
        return answer;
      };
      // What is dated back and moved at once is known to nobody.
      await follow(
        ada,
        course.map((each) => (each.do === 'deliver' ? { ...each, minutesAgo: 0 } : each)),
      );
    }),
    { numRuns: 8 },
  );
});
