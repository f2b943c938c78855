import { useNavigate, useSearch } from '@tanstack/react-router';

/** What a list is narrowed to. It stands in the address, so that links, reloads and the way back keep it. */
export const useFilters = <Name extends string>(names: readonly Name[]) => {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
    }),
  ) as Partial<Record<Name, string>>;
  /** What is typed letter by letter takes the `place` of what stood there, or the way back would lead through each. */
  const set = (name: Name, value: string, place?: 'place'): void => {
    const { [name]: _, ...others } = values as Record<string, string>;
    const search = value === '' ? others : { ...others, [name]: value };
    void navigate({ to: '.', search, ...(place === undefined ? {} : { replace: true, resetScroll: false }) });
  };
  const given = Object.keys(values);
  return {
    values,
    set,
    clear: () => void navigate({ to: '.', search: {} }),
    any: given.length > 0,
    /** Whether it is narrowed by more than words. */
    chosen: given.some((name) => name !== 'query'),
  };
};
