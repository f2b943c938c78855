import { OpenAPIHono } from '@hono/zod-openapi';
import { Fault } from '#kit';
import type { Notices } from '#notices';
import type { RunsRoom } from '#runs';
import { type Caller, type SettingsChange as Change, opens, type Settings as SettingsRoom } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation } from '../operation.ts';
import { Settings, SettingsChange } from '../settings-contract.ts';

type Before = Awaited<ReturnType<SettingsRoom['get']>>;

/** Whether more would leave, or be removed, without asking than before. */
const widens = ({ sends, deletes, allowedRecipients }: Before, change: Change): boolean => {
  const removals = change.deletes ?? {};
  if ((removals.perRun ?? 0) > deletes.perRun || (removals.perAccountHour ?? 0) > deletes.perAccountHour) return true;
  const { perRun = 0, perAccountHour = 0, strict = sends.strict } = change.sends ?? {};
  if (perRun > sends.perRun || perAccountHour > sends.perAccountHour || (sends.strict && !strict)) return true;
  return Object.entries(change.allowedRecipients ?? {}).some(([id, allowed]) =>
    allowed.some((each) => !allowedRecipients[id]?.includes(each)),
  );
};

/** Whom and how often agents write is for owners to widen, or for a key that may let things leave itself. */
const requireRight = (caller: Caller, before: Before, change: Change): void => {
  if (!widens(before, change) || opens(caller, { role: 'owner', scope: 'admin', also: 'sends:autopilot' })) return;
  throw new Fault(
    'forbidden',
    'Letting agents send or remove more needs an owner, or a key with admin and sends:autopilot.',
  );
};

export const settingsRoutes = (rooms: {
  settings: SettingsRoom;
  notices: Pick<Notices, 'mailServer'>;
  modelAddressProblem: RunsRoom['modelAddressProblem'];
}) => {
  const { settings, notices, modelAddressProblem } = rooms;
  const shown = ({ mailApprovers, ...rest }: Before) => ({
    ...rest,
    approverNotices: { mail: mailApprovers, mailServer: notices.mailServer },
  });
  const refuseAddress = (baseUrl: string): void => {
    const problem = modelAddressProblem(baseUrl);
    if (problem === undefined) return;
    const fields = [{ field: 'model.baseUrl', message: problem }];
    throw new Fault('invalid_input', `model.baseUrl ${problem}.`, { details: { fields } });
  };
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/settings', {
        tag: 'Settings',
        summary: 'The settings of this workspace',
        responses: { 200: json(Settings, 'The settings.') },
      }),
      async (c) => c.json(shown(await settings.get(callerOf(c).workspaceId)), 200),
    )
    .openapi(
      operation('PATCH /v1/settings', {
        tag: 'Settings',
        summary: 'Change the settings of this workspace',
        description: 'What is left out stays. A key that lets agents send more than before needs sends:autopilot, too.',
        request: body(SettingsChange),
        responses: { 200: json(Settings, 'The settings.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { workspaceId, actor } = caller;
        const { approverNotices, ...rest } = c.req.valid('json');
        const change = { ...rest, mailApprovers: approverNotices?.mail };
        requireRight(caller, await settings.get(workspaceId), change);
        if (change.model) refuseAddress(change.model.baseUrl);
        await settings.change(workspaceId, change, actor);
        return c.json(shown(await settings.get(workspaceId)), 200);
      },
    );
};
