import { zoneNamed } from '../calendar/zones.ts';
import { invalidBody, invalidProperty, noSuchSegment } from '../graph-error.ts';
import type { Json, MailboxSettings } from '../mailbox.ts';
import { contextOf, type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody, ok } from '../route.ts';
import { isObject, pick, readEnum, readMoment, readObject, readText, readTexts } from '../values.ts';

const reading = ['MailboxSettings.Read', 'MailboxSettings.ReadWrite'];
const writing = ['MailboxSettings.ReadWrite'];
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

const readReplies = (
  value: unknown,
  old: MailboxSettings['automaticRepliesSetting'],
): MailboxSettings['automaticRepliesSetting'] => {
  const object = readObject(value, 'automaticRepliesSetting');
  const given = <T>(name: string, read: (value: unknown) => T, fallback: T): T => {
    const found = pick(object, name);
    return found === undefined || found === null ? fallback : read(found);
  };
  return {
    status: given('status', (v) => readEnum(v, 'status', ['disabled', 'alwaysEnabled', 'scheduled']), old.status),
    externalAudience: given(
      'externalAudience',
      (v) => readEnum(v, 'externalAudience', ['none', 'contactsOnly', 'all']),
      old.externalAudience,
    ),
    internalReplyMessage: given(
      'internalReplyMessage',
      (v) => readText(v, 'internalReplyMessage'),
      old.internalReplyMessage,
    ),
    externalReplyMessage: given(
      'externalReplyMessage',
      (v) => readText(v, 'externalReplyMessage'),
      old.externalReplyMessage,
    ),
    scheduledStartDateTime: given(
      'scheduledStartDateTime',
      (v) => readMoment(v, 'scheduledStartDateTime'),
      old.scheduledStartDateTime,
    ),
    scheduledEndDateTime: given(
      'scheduledEndDateTime',
      (v) => readMoment(v, 'scheduledEndDateTime'),
      old.scheduledEndDateTime,
    ),
  };
};

const readTime = (value: unknown, name: string): string => {
  const text = readText(value, name);
  const [, hour, minute, second = '00'] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:\.\d{1,12})?$/.exec(text) ?? [];
  if (hour === undefined) throw invalidProperty(`The value of '${name}' is not a time of day.`);
  return `${hour}:${minute}:${second}.0000000`;
};

const readHours = (value: unknown, old: MailboxSettings['workingHours']): MailboxSettings['workingHours'] => {
  const object = readObject(value, 'workingHours');
  const zone = pick(object, 'timeZone');
  const week = pick(object, 'daysOfWeek');
  return {
    daysOfWeek:
      week === undefined
        ? old.daysOfWeek
        : readTexts(week, 'daysOfWeek').map((day) => readEnum(day, 'daysOfWeek', days)),
    startTime:
      pick(object, 'startTime') === undefined ? old.startTime : readTime(pick(object, 'startTime'), 'startTime'),
    endTime: pick(object, 'endTime') === undefined ? old.endTime : readTime(pick(object, 'endTime'), 'endTime'),
    timeZone: isObject(zone) ? { name: zoneNamed(readText(pick(zone, 'name'), 'timeZone/name')).name } : old.timeZone,
  };
};

const readers: Record<string, (value: unknown, settings: MailboxSettings) => Partial<MailboxSettings>> = {
  timezone: (value) => ({ timeZone: zoneNamed(readText(value, 'timeZone')).name }),
  dateformat: (value) => ({ dateFormat: readText(value, 'dateFormat') }),
  timeformat: (value) => ({ timeFormat: readText(value, 'timeFormat') }),
  language: (value) => {
    const locale = readText(pick(readObject(value, 'language'), 'locale'), 'language/locale');
    if (!/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/.test(locale))
      throw invalidProperty(`The locale '${locale.slice(0, 30)}' is not supported.`);
    return {
      language: { locale, displayName: new Intl.DisplayNames('en', { type: 'language' }).of(locale) ?? locale },
    };
  },
  workinghours: (value, { workingHours }) => ({ workingHours: readHours(value, workingHours) }),
  automaticrepliessetting: (value, { automaticRepliesSetting }) => ({
    automaticRepliesSetting: readReplies(value, automaticRepliesSetting),
  }),
  delegatemeetingmessagedeliveryoptions: (value) => ({
    delegateMeetingMessageDeliveryOptions: readEnum(value, 'delegateMeetingMessageDeliveryOptions', [
      'sendToDelegateAndInformationToPrincipal',
      'sendToDelegateAndPrincipal',
      'sendToDelegateOnly',
    ]),
  }),
};

const view = ({ mailbox }: GraphRequest): Json => ({
  archiveFolder: mailbox.wellKnown.get('archive') ?? null,
  ...mailbox.settings,
});

const patch = (request: GraphRequest): GraphAnswer => {
  const { mailbox } = request;
  const changes: Partial<MailboxSettings> = {};
  for (const [name, value] of Object.entries(jsonBody(request))) {
    if (name.includes('@')) continue;
    const read = readers[name.toLowerCase()];
    if (read === undefined)
      throw invalidBody(
        `The property '${name.slice(0, 50)}' cannot be changed on type 'microsoft.graph.mailboxSettings'.`,
      );
    Object.assign(changes, read(value, mailbox.settings));
  }
  if (changes.automaticRepliesSetting?.status !== undefined) mailbox.autoReplied.clear();
  mailbox.settings = { ...mailbox.settings, ...changes };
  return ok({ '@odata.context': contextOf(request, 'mailboxSettings'), ...view(request) });
};

const one = (request: GraphRequest): GraphAnswer => {
  const asked = (request.params['setting'] ?? '').toLowerCase();
  const found = Object.entries(view(request)).find(([name]) => name.toLowerCase() === asked);
  if (found === undefined) throw noSuchSegment(request.params['setting'] ?? '');
  const [name, value] = found;
  return ok({
    '@odata.context': contextOf(request, `mailboxSettings/${name}`),
    ...(isObject(value) ? value : { value }),
  });
};

const all = (request: GraphRequest): GraphAnswer =>
  ok({ '@odata.context': contextOf(request, 'mailboxSettings'), ...view(request) });

export const settingsRoutes: GraphRoute[] = [
  { method: 'GET', path: 'mailboxSettings', scopes: reading, handle: all },
  { method: 'PATCH', path: 'mailboxSettings', scopes: writing, handle: patch },
  { method: 'GET', path: 'mailboxSettings/:setting', scopes: reading, handle: one },
];
