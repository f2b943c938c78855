import type { Clock, Intervals } from '#clock';
import type { SmtpSettings } from '#config';
import type { JobDefinition, Jobs } from '#jobs';
import type { Log } from '#log';
import type { Sealer, Store } from '#store';
import { createApproverMail, type TellApprovers } from './approver-mail.ts';
import { createClaims } from './claims.ts';
import { type Courier, createCourier } from './courier.ts';
import { deliverJob } from './deliver.ts';
import { createDeliveryLog, type DeliveryLog } from './delivery-log.ts';
import { type Announce, createEmit, createWanted, type Emit, type Wanted, within } from './emit.ts';
import { createPostman } from './postman.ts';
import { createReceiver, type Outside } from './receiver.ts';
import { createUpkeep } from './upkeep.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

/** Tells others what happens here. Notices are no effects: an emergency stop does not hold them back. */
export type Notices = {
  emit: Emit;
  wanted: Wanted;
  tellApprovers: TellApprovers;
  webhooks: Webhooks;
  deliveries: DeliveryLog;
  courier: Courier;
  /** Whether mail to approvers can leave at all. */
  mailServer: boolean;
  /** What the queue must know to carry deliveries. */
  jobs: readonly JobDefinition<unknown>[];
  sweep(): Promise<void>;
  close(): Promise<void>;
};

export const createNotices = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  jobs: () => Jobs;
  outside: Outside;
  smtp: SmtpSettings | undefined;
  publicUrl: URL;
}): Notices => {
  const { store, sealer, clock, intervals, log, jobs, outside, smtp, publicUrl } = options;
  const announce: Announce = (waiting, tx) =>
    jobs().sendMany(
      deliver,
      waiting.map(({ workspaceId, webhookId, afterMs, key }) => ({
        data: { workspaceId, webhookId },
        key,
        after: afterMs === undefined ? undefined : new Date(clock.now().getTime() + afterMs),
      })),
      tx === undefined ? {} : { within: within(tx) },
    );
  const receiver = createReceiver({ outside, clock });
  const claims = createClaims({ store, sealer, clock, intervals, announce });
  const deliver = deliverJob({ claims, receiver, announce, clock, log });
  const postman = smtp === undefined ? undefined : createPostman(smtp);
  const mail = createApproverMail({ store, clock, intervals, log, jobs, postman, publicUrl });
  const upkeep = createUpkeep({ store, announce, announceMail: mail.announce });

  return {
    emit: createEmit({ clock, announce }),
    wanted: createWanted({ store }),
    tellApprovers: mail.tellApprovers,
    webhooks: createWebhooks({ store, sealer, clock, outside, announce }),
    deliveries: createDeliveryLog({ store, clock, announce }),
    courier: createCourier({ outside, receiver }),
    mailServer: postman !== undefined,
    jobs: [deliver, mail.job],
    sweep: upkeep.sweep,
    close: async () => {
      postman?.close();
      await receiver.close();
    },
  };
};
