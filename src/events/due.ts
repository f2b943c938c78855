import type { Store } from '#store';

const places = {
  arrivals: 'arrivals where next_try_at < now()',
  retries: "events where retry = 'retrying' and next_try_at < now()",
  next_look_at: 'watches where next_look_at <= now()',
  next_check_at: 'watches where next_check_at <= now()',
  glance_at: 'watches where glance_at <= now()',
};

/**
 * Whether anything is due at all, be it kept from us. It is asked again and again and seldom so; to plan a claim, which is
 * done anew each time, takes PostgreSQL a hundred times as long.
 */
export const isDue = async (store: Pick<Store, 'planned'>, what: keyof typeof places): Promise<boolean> => {
  const text = `select exists (select from ${places[what]} limit 1) as due`;
  const [found] = await store.planned<{ due: boolean }>({ name: `due_${what}`, text }, []);
  return found?.due === true;
};
