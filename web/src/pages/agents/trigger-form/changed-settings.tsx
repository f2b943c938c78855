import type { Trigger } from '../../../../../client/src/index.ts';
import { SettingFacts } from '../trigger/setting-facts.tsx';

type Config = Record<string, unknown>;

/** What of a trigger's settings is no longer as it was. */
export const changedSince = (before: Config, now: Config): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
  );

/** Somebody else saved other settings while these were typed: what they are by now, and the way to take them. */
export const ChangedSettings = (props: { trigger: Trigger; names: readonly string[]; onTake: () => void }) => {
  const { trigger, names, onTake } = props;
  return (
    <div role="alert" className="grid gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
      <p>Somebody changed these settings meanwhile. Saving replaces them all. By now it is:</p>
      <SettingFacts trigger={trigger} names={names} className="text-ink sm:grid-cols-2" />
      <button type="button" className="button button-quiet justify-self-start" onClick={onTake}>
        Take theirs
      </button>
    </div>
  );
};
