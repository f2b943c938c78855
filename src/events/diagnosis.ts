import { sql } from 'kysely';
import type { Account, Accounts } from '#accounts';
import type { Clock } from '#clock';
import { type Catalogue, type CatalogueTrigger, Fault } from '#kit';
import type { Database, Outcome, Store } from '#store';
import { type ChosenNames, nameIn } from './chosen-names.ts';
import { misfitOf } from './misfit.ts';
import { occurrenceFrom } from './occurrence.ts';
import { type OthersSeen, othersSeen } from './other-kinds.ts';
import { type Paused, pausedBy } from './pauses.ts';
import { countSkipped } from './skipped-in-pause.ts';
import { createTriggerRecords, type Trigger, type TriggerWatch } from './trigger-records.ts';

export type Finding = {
  /** What was looked at. */
  check:
    | 'workspace'
    | 'account'
    | 'trigger'
    | 'agent'
    | 'watch'
    | 'notifications'
    | 'event_type'
    | 'filter'
    | 'skipped'
    | 'failures'
    | 'polling'
    | 'unread';
  ok: boolean;
  message: string;
};

export type Diagnosis = {
  triggerId: string;
  /** The likeliest reason why it does not fire; absent when nothing stands in its way. */
  cause?: Finding;
  findings: Finding[];
  watches: TriggerWatch[];
  nextLookAt: Date | null;
  /** What cannot be known any more. */
  gaps: { at: Date; text: string }[];
  /** Of a paused trigger: how many it has skipped so far that can be caught up. */
  skippedInPause?: number;
  recent: {
    id: string;
    outcome: Outcome;
    summary: string;
    clause: string | null;
    reason: string | null;
    occurredAt: Date;
  }[];
};

type Facts = {
  paused: boolean;
  stopped: boolean;
  agent_state: string;
};

type Unread = { occurrence: unknown; received_at: Date };

const good = (check: Finding['check'], message: string): Finding => ({ check, ok: true, message });
const bad = (check: Finding['check'], message: string): Finding => ({ check, ok: false, message });

/** Reasons come with or without their full stop. */
const ended = (text: string): string => `${text.replace(/\.$/, '')}.`;

const aboutAccount = ({ name, state, reason }: Account): Finding => {
  if (state === 'connected') return good('account', `${name} is connected.`);
  if (state === 'paused') return bad('account', `${name} is paused; resume it.`);
  if (state === 'needs_reconnect') {
    return bad(
      'account',
      `${ended(`${name} must be connected again${reason === undefined ? '' : `: ${reason}`}`)} What was missed is caught up.`,
    );
  }
  return bad('account', `${name} is no longer connected.`);
};

/** By its name, where that is known, and by what the trigger's watches call it. */
const placeOf = ({ resource, name: told }: TriggerWatch, names: ChosenNames): string => {
  const [kind = '', id = ''] = resource.split('/');
  const name = nameIn(names, id) ?? told ?? undefined;
  return name === undefined ? resource : `The ${kind} “${name}” (${resource})`;
};

const aboutWatch = (watch: TriggerWatch, names: ChosenNames, works: boolean): Finding => {
  const { state, reason, way } = watch;
  const resource = placeOf(watch, names);
  if (!works) return bad('watch', `${resource} rests until the account works again.`);
  if (state === 'healthy') {
    return good(
      'watch',
      `${resource} is watched: ${way === 'push' ? 'the service notifies us' : 'we look from time to time'}.`,
    );
  }
  if (state === 'starting') return bad('watch', `${resource} is being set up; this takes a few seconds.`);
  const trouble = state === 'broken' ? 'cannot be watched' : `is ${state}`;
  return bad('watch', ended(`${resource} ${trouble}: ${reason ?? 'the reason is not known'}`));
};

const ofOtherKinds = ({ count, types }: OthersSeen, catalogue: Catalogue, type: string): string => {
  const title = catalogue.trigger(type)?.title ?? type;
  const seen =
    count === 1 ? 'Another change was seen here, but not' : `${count} other changes were seen here, but none`;
  const meant = catalogue.triggers.filter(({ id }) => id !== type && types.includes(id)).map((each) => each.title);
  const hint = meant.length === 0 ? '' : ` Perhaps another trigger is meant: ${meant.join(', ')}.`;
  return `${seen} of the kind “${title}” waits for.${hint}`;
};

/** What its own recent occurrences tell: the same obstacle for all of them is the likely cause. */
const aboutRecent = (
  all: Diagnosis['recent'],
  idle: ReadonlySet<Paused>,
  others: OthersSeen,
  catalogue: Catalogue,
  type: string,
  polling: readonly Finding[],
): Finding[] => {
  const fired = all.filter(({ outcome }) => outcome === 'fired').length;
  if (fired > 0)
    return [
      good(
        'event_type',
        all.length === 1
          ? 'It fired for the last occurrence.'
          : `It fired for ${fired} of the last ${all.length} occurrences.`,
      ),
    ];
  // What a pause left out that is over tells nothing of what stands in the way now.
  const recent = all.filter(({ reason }) => {
    const whose = pausedBy(reason);
    return whose === undefined || idle.has(whose);
  });
  if (recent.length < all.length && recent.length === 0)
    return [good('skipped', 'What happened last fell into a pause that is over.')];
  if (recent.length === 0 && others.count > 0) return [bad('event_type', ofOtherKinds(others, catalogue, type))];
  if (recent.length === 0) {
    const question = 'is it the right board or mailbox?';
    const [look] = polling;
    return [
      bad(
        'event_type',
        look === undefined
          ? `Nothing has happened here since the trigger was enabled: ${question}`
          : `Nothing was found here since the trigger was enabled. ${look.message} If that finds nothing: ${question}`,
      ),
    ];
  }
  const clauses = [...new Set(recent.flatMap(({ clause }) => clause ?? []))];
  const reasons = [...new Set(recent.flatMap(({ outcome, reason }) => (outcome === 'skipped' ? (reason ?? []) : [])))];
  const failures = [...new Set(recent.flatMap(({ outcome, reason }) => (outcome === 'failed' ? (reason ?? []) : [])))];
  return [
    ...(clauses.length > 0
      ? [bad('filter', `It saw what it waits for, but its own settings held it back: ${clauses.join('; ')}.`)]
      : []),
    ...(reasons.length > 0 ? [bad('skipped', ended(`Occurrences were skipped: ${reasons.join('; ')}`))] : []),
    ...(failures.length > 0 ? [bad('failures', ended(`Occurrences could not be judged: ${failures.join('; ')}`))] : []),
  ];
};

const aboutPolling = (trigger: Trigger, now: Date): Finding[] => {
  const polled = trigger.watches.filter(({ way }) => way === 'poll');
  const next = polled.map(({ nextLookAt }) => nextLookAt.getTime()).sort((a, b) => a - b)[0];
  if (next === undefined) return [];
  const seconds = Math.max(0, Math.round((next - now.getTime()) / 1_000));
  return [good('polling', `It is not instant: the next look is in ${seconds} s.`)];
};

// What goes well takes less.
const unreadAfterMs = 10_000;
const mostUnread = 200;

/** What came in and could not be read yet, for example because the calls to the service are used up. */
const aboutUnread = (unread: readonly Unread[], definition: CatalogueTrigger | undefined, now: Date): Finding[] => {
  if (definition?.kind !== 'webhook') return [];
  const waiting = unread.filter(
    ({ occurrence }) => occurrence === null || definition.delivery.safeParse(occurrenceFrom(occurrence).body).success,
  );
  const ms = Math.max(...waiting.map(({ received_at: since }) => now.getTime() - since.getTime()));
  if (ms < unreadAfterMs) return [];
  const { length } = waiting;
  const many = unread.length === mostUnread ? `${length} or more` : `${length}`;
  const what = length === 1 ? 'One thing that happened waits' : `${many} things that happened wait`;
  return [bad('unread', `${what} to be read, the oldest for ${Math.round(ms / 1_000)} s. It goes on by itself.`)];
};

/** What nothing is to be expected of, although it can be watched, while others are well. */
const hinderedAmong = async (
  db: Database,
  workspaceId: string,
  { id, watches }: Trigger,
): Promise<ReadonlySet<string>> => {
  if (!watches.some(({ state }) => state === 'healthy')) return new Set();
  const { rows } = await sql<{ id: string }>`
    select w.id from trigger_watches l join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
    where l.workspace_id = ${workspaceId} and l.trigger_id = ${id} and w.state = 'healthy'
      and w.hindrance is not null`.execute(db);
  return new Set(rows.map((row) => row.id));
};

/** Why a trigger does, or does not, fire. */
export const createDiagnosis = (options: {
  store: Store;
  clock: Clock;
  catalogue: Catalogue;
  accounts: Pick<Accounts, 'get'>;
}) => {
  const { store, clock, catalogue, accounts } = options;
  const shown = createTriggerRecords({ store, catalogue });

  return async (workspaceId: string, id: string): Promise<Diagnosis> => {
    const trigger = await shown.get(workspaceId, id);
    const definition = catalogue.trigger(trigger.type);
    const db = store.of(workspaceId);
    const { rows } = await sql<Facts>`
      select ws.stopped_at is not null as stopped, g.state as agent_state,
        t.state = 'paused' as paused
      from triggers t
        join workspaces ws on ws.workspace_id = t.workspace_id
        join agents g on g.workspace_id = t.workspace_id and g.id = t.agent_id
      where t.workspace_id = ${workspaceId} and t.id = ${id}`.execute(db);
    const [facts] = rows;
    if (facts === undefined) throw new Fault('not_found', 'There is no such trigger.');
    // What this trigger has been told of, or could not be, stands among its events.
    const { rows: unread } = await sql<Unread>`
      select r.occurrence, r.received_at from trigger_watches l
        join arrivals r on r.workspace_id = l.workspace_id and r.watch_id = l.watch_id
      where l.workspace_id = ${workspaceId} and l.trigger_id = ${id} and not exists (select from events e
        where e.trigger_id = l.trigger_id and e.key in (r.key, 'hint ' || r.key))
      order by r.received_at limit ${mostUnread}`.execute(db);
    const hindered = await hinderedAmong(db, workspaceId, trigger);
    const account = await accounts.get(workspaceId, trigger.accountId);
    const events = await db
      .selectFrom('events')
      .select(['id', 'outcome', 'summary', 'clause', 'reason', 'occurred_at'])
      .where('workspace_id', '=', workspaceId)
      .where('trigger_id', '=', id)
      .where('delivery', 'in', ['live', 'catchup'])
      .orderBy('id', 'desc')
      .limit(20)
      .execute();
    const gaps = await db
      .selectFrom('gaps')
      .innerJoin('trigger_watches', (join) =>
        join
          .onRef('trigger_watches.watch_id', '=', 'gaps.watch_id')
          .onRef('trigger_watches.workspace_id', '=', 'gaps.workspace_id'),
      )
      .select(['gaps.at', 'gaps.text'])
      .where('gaps.workspace_id', '=', workspaceId)
      .where('trigger_watches.trigger_id', '=', id)
      .orderBy('gaps.id', 'desc')
      .limit(10)
      .execute();
    const recent = events.map(({ occurred_at: occurredAt, ...event }) => ({ ...event, occurredAt }));
    const works = account.state === 'connected';
    const paused = trigger.state === 'paused' && works;
    const idle = new Set<Paused>([
      ...(facts.paused ? ['trigger' as const] : []),
      ...(facts.agent_state === 'paused' ? ['agent' as const] : []),
      ...(account.state === 'paused' ? ['account' as const] : []),
    ]);
    // Nobody looks with an account that does not work, so nothing follows from what was not seen.
    const polling = works ? aboutPolling(trigger, clock.now()) : [];
    const others = await othersSeen(db, workspaceId, id);
    const misfit = misfitOf(catalogue, trigger);
    const watched = trigger.watches.map((watch) => ({ watch, finding: aboutWatch(watch, trigger.names, works) }));
    // Where a board is closed, what happens on the others starts the agent all the same.
    const beside = new Set(watched.flatMap(({ watch, finding }) => (hindered.has(watch.id) ? [finding] : [])));
    const findings = [
      ...(facts.stopped ? [bad('workspace', 'The workspace is stopped: nothing starts until it is resumed.')] : []),
      aboutAccount(account),
      paused ? bad('trigger', 'The trigger is paused; resume it.') : good('trigger', 'The trigger is enabled.'),
      facts.agent_state === 'paused'
        ? bad('agent', 'The agent is paused; resume it.')
        : good('agent', 'The agent is enabled.'),
      ...(misfit === undefined ? [] : [bad('filter', misfit)]),
      ...watched.map(({ finding }) => finding),
      ...aboutUnread(unread, definition, clock.now()),
      ...polling,
      ...(works || recent.length > 0 ? aboutRecent(recent, idle, others, catalogue, trigger.type, polling) : []),
    ];
    const hasFired = recent.some(({ outcome }) => outcome === 'fired');
    const cause = findings.find((finding) => !finding.ok && !(hasFired && beside.has(finding)));
    const looks = trigger.watches.map(({ nextLookAt }) => nextLookAt.getTime());
    return {
      triggerId: id,
      ...(cause === undefined ? {} : { cause }),
      findings,
      watches: trigger.watches,
      nextLookAt: looks.length === 0 ? null : new Date(Math.min(...looks)),
      gaps,
      ...(facts.paused ? { skippedInPause: await countSkipped(db, { workspace_id: workspaceId, id }) } : {}),
      recent,
    };
  };
};

export type Diagnose = ReturnType<typeof createDiagnosis>;
