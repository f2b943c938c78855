import { z } from '@hono/zod-openapi';
import { isTimeZone } from '#workspaces';
import { Time } from './time.ts';

const Count = z.number().int();
const EventCounts = z.object({ fired: Count, filtered: Count, skipped: Count, failed: Count });
const RunCounts = z.object({
  queued: Count,
  running: Count,
  waiting_approval: Count,
  succeeded: Count,
  failed: Count,
  cancelled: Count,
});
const Reason = z.string().nullable();

export const OverviewQuery = z
  .strictObject({
    days: z.coerce.number().int().min(1).max(90).default(7),
    bucket: z.enum(['hour', 'day']).optional().openapi({ description: 'Left out: hours for up to 2 days, else days.' }),
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, 'is no time zone by its IANA name, such as Europe/Berlin')
      .default('UTC')
      .openapi({ description: 'Whose days and hours are counted, by its IANA name such as Europe/Berlin.' }),
  })
  .refine(({ days, bucket }) => bucket !== 'hour' || days <= 14, 'hours are counted for at most 14 days');

export const Overview = z
  .object({
    bucket: z.enum(['hour', 'day']).openapi({ description: 'Days begin at midnight of the time zone.' }),
    timeZone: z.string().openapi({ description: 'The one that was asked for; UTC if none was.' }),
    events: z.array(z.object({ at: Time, counts: EventCounts })).openapi({ description: 'Oldest first, by outcome.' }),
    runs: z
      .array(z.object({ at: Time, counts: RunCounts }))
      .openapi({ description: 'Oldest first, by present status.' }),
    pendingApprovals: Count,
    eventsGivenUp: Count.openapi({ description: 'Of these days, and not replayed since.' }),
    accountsToReconnect: z.array(
      z.object({ id: z.string(), name: z.string(), integration: z.string(), reason: Reason }),
    ),
    brokenTriggers: z.array(z.object({ id: z.string(), name: z.string(), agentId: z.string(), reason: Reason })),
    more: z.object({ accountsToReconnect: Count, brokenTriggers: Count }).openapi({
      description:
        'How many more there are than are named: the twenty newest, and no trigger whose account must be connected again.',
    }),
    firstSteps: z
      .object({ account: z.boolean(), tool: z.boolean(), agent: z.boolean(), trigger: z.boolean(), run: z.boolean() })
      .openapi({ description: 'What this workspace has already.' }),
  })
  .openapi('Overview');

export const Waiting = z.object({ pendingApprovals: Count }).openapi('Waiting');

const Named = z.object({ id: z.string(), name: z.string() });
export const Names = z
  .object({
    agents: z.array(Named),
    tools: z.array(Named),
    triggers: z.array(
      Named.extend({
        agentId: z.string(),
        accountId: z.string(),
        filter: z.string().nullable().openapi({ description: 'What a trigger for mail looks for.' }),
      }),
    ),
    accounts: z.array(
      Named.extend({
        integration: z.string(),
        who: z.string().nullable().openapi({ description: 'The address or user name.' }),
        endUserId: z.string().nullable(),
      }),
    ),
  })
  .openapi('Names');
