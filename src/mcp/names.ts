import type { CatalogueStep } from '#kit';

/** The tool that tells how a run ended. */
export const getRunName = 'switchboard_get_run';

/** `mail_send_email` for `mail.send_email`: clients take letters, digits, - and _ alone. */
export const stepName = ({ id }: Pick<CatalogueStep, 'id'>): string => id.replaceAll('.', '_');

const longest = 50;

const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, longest)
    .replace(/^_+|_+$/g, '');

/**
 * What tools are called here, by their ids. Names are people's choice, so several may be alike: all of these carry a part
 * of their id, and none is ever taken for another.
 */
export const nameTools = (
  tools: readonly { id: string; name: string }[],
  taken: ReadonlySet<string>,
): Map<string, string> => {
  const plain = tools.map(({ id, name }) => ({ id, name: slug(name) }));
  const alike = Map.groupBy(plain, ({ name }) => name);
  return new Map(
    plain.map(({ id, name }) => {
      const alone = name !== '' && !taken.has(name) && alike.get(name)?.length === 1;
      return [id, alone ? name : `${name === '' ? 'tool' : name}_${id.slice(-8)}`];
    }),
  );
};
