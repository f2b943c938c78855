import { z } from 'zod';
import { distance, type Option, placeOf, wrong } from '#kit';

/** The types of actions that boards are known to tell of. The service adds others at times. */
const known = `
createCard copyCard convertToCardFromCheckItem emailCard updateCard deleteCard
moveCardToBoard moveCardFromBoard moveInboxCardToBoard createInboxCard copyInboxCard
commentCard updateComment deleteComment copyCommentCard voteOnCard
addMemberToCard removeMemberFromCard
createLabel updateLabel deleteLabel addLabelToCard removeLabelFromCard
addChecklistToCard removeChecklistFromCard copyChecklist updateChecklist
createCheckItem updateCheckItem deleteCheckItem updateCheckItemStateOnCard
addAttachmentToCard deleteAttachmentFromCard
createList updateList moveListToBoard moveListFromBoard
createBoard copyBoard updateBoard deleteBoard closeBoard reopenBoard
addToOrganizationBoard removeFromOrganizationBoard addMemberToBoard removeMemberFromBoard makeAdminOfBoard
makeNormalMemberOfBoard makeObserverOfBoard enablePlugin disablePlugin
createCustomField updateCustomField deleteCustomField updateCustomFieldItem`
  .trim()
  .split(/\s+/);

/** Whether a type is meant by a name: it is its own, or the verb it begins with; the name of another type is no verb. */
export const isOfType = (type: string, name: string): boolean =>
  type === name || (!known.includes(name) && type.startsWith(name) && /^[A-Z]/.test(type.slice(name.length)));

const wordsOf = (name: string): string =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [])
    .map((word) => word.toLowerCase().replace(/(?:ed|es|e|s|d)$/, ''))
    .sort()
    .join(' ');

const farthest = 2;

/** Known types for which a name may have been meant that none of them has: some letters off, or "cardCreated". */
const nearTo = (name: string): string[] => {
  if (known.some((type) => isOfType(type, name))) return [];
  const wanted = wordsOf(name);
  const away = known.map((type) => (wordsOf(type) === wanted ? 0 : distance(name.toLowerCase(), type.toLowerCase())));
  const least = Math.min(...away);
  return least > farthest ? [] : known.filter((_, at) => away[at] === least);
};

/**
 * A type of action as a configuration names it: `updateCard`, one narrowed to a changed field such as
 * `updateCard:idList`, or a verb such as `create` for all that are created.
 */
export const ActionType = z
  .string()
  .trim()
  .regex(/^[a-z][A-Za-z]{1,60}(:[A-Za-z/]{1,60})?$/, 'must be a type such as createCard, updateCard:idList or delete')
  .meta({ picker: 'activity_types' });

const asked: Readonly<Record<string, string>> = {
  create: 'Anything created',
  update: 'Anything changed',
  delete: 'Anything deleted',
  'updateCard:idList': 'Card moved to another list',
  'updateCard:name': 'Card renamed',
  'updateCard:desc': 'Description of a card changed',
  'updateCard:due': 'Due date of a card changed',
  'updateCard:dueComplete': 'Due date of a card met',
  'updateCard:closed': 'Card archived or brought back',
};
const inWords = (type: string): string =>
  type
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

/** Verbs and what is asked for most, then every type that is known, each with its name at the service. */
export const actionTypeOptions: readonly Option[] = [
  ...Object.entries(asked).map(([value, label]) => ({ value, label, hint: value })),
  ...known.map((type) => ({ value: type, label: inWords(type), hint: type })),
];

/** With a slip a trigger would never fire, and nobody would know why. */
export const refuseSlips = (field: string, types: readonly string[]): void => {
  for (const [at, type] of types.entries()) {
    const near = nearTo(type.split(':')[0] ?? '');
    if (near.length === 0) continue;
    throw wrong(placeOf(['config', field, at]), `"${type}" is no type of action. Is ${near.join(' or ')} meant?`);
  }
};
