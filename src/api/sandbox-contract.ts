import { z } from '@hono/zod-openapi';
import { Time } from './time.ts';

/** The shapes of the routes that exist for the sandbox alone. */

export const Sandbox = z
  .object({
    enabled: z.boolean(),
    mail: z.string().optional().openapi({ description: "Address of the sandbox's mailboxes." }),
    board: z.string().optional().openapi({ description: "Address of the sandbox's boards." }),
  })
  .openapi('Sandbox');

const ServiceName = z.enum(['mail', 'board']);

export const faultNames = [
  'fails_once',
  'refuses_once',
  'answer_lost_once',
  'notifications_lost',
  'notifications_doubled',
  'tokens_expire',
] as const;

export const NewSandboxFault = z.strictObject({
  service: ServiceName,
  fault: z.enum([...faultNames, 'none']).openapi({ description: '`none` ends every fault of the service.' }),
});

export const SandboxFault = z
  .object({ service: ServiceName, fault: z.enum(faultNames) })
  .openapi('SandboxFault', { description: 'Something that goes wrong at the sandbox now.' });

export const NewSandboxMail = z.strictObject({
  to: z.email().max(200).openapi({ description: 'A person of the sandbox.' }),
});

export const SandboxMail = z
  .object({
    upstreamId: z.string().openapi({ description: 'Finds its event: `GET /v1/events?upstreamId=`.' }),
    from: z.string(),
    to: z.string(),
    subject: z.string(),
  })
  .openapi('SandboxMail');

export const SentMail = z
  .object({ id: z.string(), from: z.string(), to: z.array(z.string()), subject: z.string(), sentAt: Time })
  .openapi('SentMail');
