import { randomInt } from 'node:crypto';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { Fault } from '#kit';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';
import { NewSandboxFault, NewSandboxMail, Sandbox, SandboxFault, SandboxMail, SentMail } from '../sandbox-contract.ts';
import { type SandboxAddresses, sandboxHands } from '../sandbox-hands.ts';

const services = ['mail', 'board'] as const;

/** A mail that a visitor of the sandbox sends. Its writer is a person there, too, so that the answer can be read. */
const firstLetter = (to: string) => {
  const [from, name] = to === 'ben@sandbox.test' ? ['ada@sandbox.test', 'Ada'] : ['ben@sandbox.test', 'Ben'];
  const order = randomInt(1000, 10_000);
  return {
    from,
    to,
    subject: `Where is order ${order}?`,
    body: `Hello,\n\nI ordered a week ago (order ${order}) and nothing has come. When can I expect it?\n\n${name}`,
  };
};

/** Only with the sandbox; elsewhere these say that there is none. */
export const sandboxRoutes = (at: SandboxAddresses | undefined) => {
  const hands = at && sandboxHands(at);
  const present = () => {
    if (hands === undefined) throw new Fault('not_found', 'This Switchboard runs without its sandbox.');
    return hands;
  };
  const shown = async () => {
    const each = await Promise.all(
      services.map(async (service) => (await present().present(service)).map((fault) => ({ service, fault }))),
    );
    return { items: each.flat() };
  };
  const Faults = json(z.object({ items: z.array(SandboxFault) }), 'What goes wrong now.');
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/sandbox', {
        tag: 'Sandbox',
        summary: 'Whether the sandbox stands in for the services, and where',
        responses: { 200: json(Sandbox, 'The sandbox.') },
      }),
      (c) => c.json({ enabled: at !== undefined, ...(at && { mail: at.mail.origin, board: at.board.origin }) }, 200),
    )
    .openapi(
      operation('GET /v1/sandbox/faults', {
        tag: 'Sandbox',
        summary: 'What goes wrong at the sandbox on purpose',
        responses: { 200: Faults },
      }),
      async (c) => c.json(await shown(), 200),
    )
    .openapi(
      operation('POST /v1/sandbox/faults', {
        tag: 'Sandbox',
        summary: 'Let something go wrong at the sandbox, or end it',
        request: body(NewSandboxFault),
        responses: { 200: Faults },
      }),
      async (c) => {
        const { service, fault } = c.req.valid('json');
        await (fault === 'none' ? present().calm(service) : present().cause(service, fault));
        return c.json(await shown(), 200);
      },
    )
    .openapi(
      operation('POST /v1/sandbox/mail', {
        tag: 'Sandbox',
        summary: 'Let a mail arrive in a sandbox mailbox',
        request: body(NewSandboxMail),
        responses: { 201: json(SandboxMail, 'The mail.') },
      }),
      async (c) => {
        const { body: text, ...letter } = firstLetter(c.req.valid('json').to);
        return c.json({ ...letter, upstreamId: await present().deliver({ ...letter, body: text }) }, 201);
      },
    )
    .openapi(
      operation('GET /v1/sandbox/outbox', {
        tag: 'Sandbox',
        summary: 'What left the sandbox mailboxes lately',
        responses: { 200: json(z.object({ items: z.array(SentMail) }), 'Newest first, at most 50.') },
      }),
      async (c) => c.json({ items: await present().outbox() }, 200),
    );
};
