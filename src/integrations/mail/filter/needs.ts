import { conditionsOf, type Filter } from './tree.ts';

/** What a filter asks about that a service sends only on request. */
export type Needs = { body: boolean; size: boolean; attachmentNames: boolean };

export const needs = ({ clause }: Filter): Needs => {
  const conditions = conditionsOf(clause);
  const asksFor = (field: string): boolean => conditions.some((each) => each.kind === 'text' && each.field === field);
  return {
    body: asksFor('body') || conditions.some(({ kind }) => kind === 'word'),
    size: conditions.some(({ kind }) => kind === 'size'),
    attachmentNames: asksFor('attachment'),
  };
};
