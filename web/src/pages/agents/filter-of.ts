import type { Trigger } from '../../../../client/src/index.ts';

/** What tells a trigger for mail from others of its kind. */
export const filterOf = ({ config }: Trigger): string | undefined => {
  const text = config['searchFilter'];
  return typeof text === 'string' && text !== '' ? text : undefined;
};
