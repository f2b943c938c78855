import { useReducer } from 'react';
import { useSession } from './session.tsx';

const kept = new Map<string, unknown>();

/** What somebody typed: it outlives the sign-in page, for the same person in this window, until it is forgotten. */
export const useKept = <Value>(slot: string) => {
  const { member, workspace } = useSession();
  const place = `${workspace.id} ${member.id} ${slot}`;
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const keep = (value: Value) => {
    kept.set(place, value);
    draw();
  };
  const forget = () => {
    kept.delete(place);
    draw();
  };
  /** Once that is saved: what was typed since then stays. */
  const settle = (saved: Value) => {
    if (kept.get(place) === saved) forget();
  };
  return { value: kept.get(place) as Value | undefined, keep, forget, settle };
};
