import { createControl } from '../../common/server.ts';
import { contactRoutes } from '../contacts/routes.ts';
import { problemsOf } from '../contract/conformance.ts';
import { createMailbox } from '../create-mailbox.ts';
import { Graph } from '../graph.ts';
import { GraphError } from '../graph-error.ts';
import type { Json } from '../mailbox.ts';
import { consumerTenantId, type Person } from '../people.ts';
import { Throttle } from '../throttle.ts';
import { type Mail, World } from '../world.ts';
import { calendarRoutes } from './routes.ts';

const tenantId = '5b0e2f3a-6c1d-4e8f-9a2b-1c3d5e7f9a01';
const person = (name: string, kind: 'work' | 'personal'): Person => ({
  id: `${name}-0000-4000-8000-000000000000`,
  address: `${name}@sandbox.test`,
  displayName: `${name} Tester`,
  givenName: name,
  surname: 'Tester',
  jobTitle: null,
  password: 'sandbox',
  kind,
  tenantId: kind === 'work' ? tenantId : consumerTenantId,
});

export type Reply = { status: number; body: Json; headers: Record<string, string> };
export type Ask = (
  method: string,
  url: string,
  options?: { as?: string; body?: unknown; headers?: Record<string, string>; scopes?: string[] },
) => Promise<Reply>;

const everything = [
  'Calendars.ReadWrite',
  'Calendars.Read.Shared',
  'Contacts.ReadWrite',
  'OnlineMeetingTranscript.Read.All',
];

/** Calendars and contacts of ada, ben (work) and cy (personal), asked without a server; `sent` is what mail left. */
export const office = (now = '2026-03-02T08:00:00Z'): { world: World; sent: Mail[]; ask: Ask } => {
  const world = new World(createControl());
  world.control.clock.set(Date.parse(now));
  for (const each of [person('ada', 'work'), person('ben', 'work'), person('cy', 'personal')]) {
    world.addPerson(each);
    world.mailboxes.set(each.id, createMailbox(each.id, world.now()));
  }
  const sent: Mail[] = [];
  world.carryWith({ send: (mail) => void sent.push(mail), deliver: () => [] });
  const throttle = new Throttle(() => world.now());
  throttle.limits.off = true;
  const graph = new Graph(world, throttle).mailboxRoutes([...calendarRoutes, ...contactRoutes]);
  const ask: Ask = async (method, url, { as = 'ada', body, headers = {}, scopes = everything } = {}) => {
    const asking = world.person(`${as}@sandbox.test`);
    if (asking === undefined) throw new Error(`${as} does not exist`);
    const session = { person: asking, scopes: new Set(scopes.map((scope) => scope.toLowerCase())), appId: 'app' };
    const bytes =
      body === undefined
        ? new Uint8Array()
        : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
    const header = (name: string) => headers[name.toLowerCase()];
    try {
      const path = url.replace(/^https:\/\/host\/v1\.0/, '');
      const answer = await graph.answer(
        { session, method, url: path, base: 'https://host/v1.0', header, body: bytes },
        1,
      );
      const plain = answer.raw === undefined ? answer.body : { text: String(answer.raw.content) };
      const wire = plain === undefined ? undefined : (JSON.parse(JSON.stringify(plain)) as Json);
      const problems =
        answer.raw === undefined ? problemsOf(method, path.replace(/\?.*/s, ''), answer.status, wire) : [];
      if (problems.length > 0)
        throw new Error(`Not as in the contract: ${problems.join('\n')} ${JSON.stringify(wire)}`);
      return { status: answer.status, body: wire ?? {}, headers: answer.headers ?? {} };
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message }, headers: error.headers };
    }
  };
  return { world, sent, ask };
};

export const valueOf = (reply: Reply): Json[] => reply.body['value'] as Json[];
export const moment = (dateTime: string, timeZone = 'UTC'): Json => ({ dateTime, timeZone });

/** The id of an entity that a test relies on. */
export const idOf = (entity: Json | undefined): string => {
  const id = entity?.['id'];
  if (typeof id !== 'string') throw new Error('An entity without an id.');
  return id;
};
export const inOrder = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
