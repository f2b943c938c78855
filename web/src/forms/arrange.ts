import { type FieldProblem, messageAt } from './problems.ts';
import { type Schema, shapeOf } from './schema.ts';
import { isByName } from './words.ts';

// Needed now and then: paging, views, zones, and ways around the usual.
const rare =
  /^(cursor|limit|timeZone|fields|view|format|order|mailbox|maxBodyChars|maxDescChars|maxComments|maxBytes|bodyOffset|bodyFormat|includeQuoted|ifUnchangedSince|saveToSent|from|replyTo|importance|sensitivity|customFields|keepFromSource|copyFrom|idListSource|paginate|retry|responseType|headers|ifExists|dueReminder|dueComplete|toBoard|includeHidden|recursive|ignoreSelf|ignoreAutoReplies|includeCard|includeBody|includeAttachments|conversationId|recurrence|showAs|responseRequested|allowNewTimeProposals|hideAttendees|sendInvites|categories|pos|start)$/;
const most = 7;

const isBoards = (schema: Schema): boolean => {
  const shape = shapeOf(schema);
  const inner = shape.kind === 'list' ? shapeOf(shape.items) : shape;
  return inner.kind === 'picker' && inner.picker === 'boards';
};

/** Which fields stand in sight, in which order, and which are folded away. */
export const arrange = (schema: Schema, hidden: readonly string[]) => {
  const names = Object.keys(schema.properties ?? {}).filter((name) => !hidden.includes(name));
  const required = new Set(schema.required ?? []);
  const shape = (name: string) => schema.properties?.[name] ?? {};
  // A board is chosen before what lies on it.
  const parents = names.filter((name) => isBoards(shape(name)) && name !== 'toBoard');
  const rest = names.filter((name) => !parents.includes(name));
  const asked = rest.filter((name) => required.has(name));
  const free = rest.filter((name) => !required.has(name));
  const usual = free
    .filter((name) => !isByName(name, names) && (!rare.test(name) || name === 'start'))
    .slice(0, Math.max(2, most - asked.length));
  const inSight = [...parents, ...rest.filter((name) => required.has(name) || usual.includes(name))];
  const few = names.length - inSight.length <= 1;
  return {
    inSight: few ? [...parents, ...rest] : inSight,
    folded: few ? [] : rest.filter((name) => !inSight.includes(name)),
  };
};

/** Whether folded fields hold something to be seen. */
export const mustShow = (
  folded: readonly string[],
  value: Record<string, unknown>,
  problems: readonly FieldProblem[],
  path: readonly string[],
): boolean =>
  folded.some((name) => value[name] !== undefined || messageAt(problems, [...path, name], true) !== undefined);
