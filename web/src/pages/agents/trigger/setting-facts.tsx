import type { ReactNode } from 'react';
import type { Trigger } from '../../../../../client/src/index.ts';
import { type Scalar, type Schema, shapeOf } from '../../../forms/schema.ts';
import { asText, choiceInWords, labelOf } from '../../../forms/words.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { useChosenNames } from '../chosen-names.ts';
import { useTriggerTypes } from '../trigger-types.ts';

/** A value as its form offers it. */
const inWords = (value: unknown, schema: Schema): string => {
  if (Array.isArray(value))
    return value.length === 0 ? 'all' : value.map((each) => inWords(each, schema.items ?? {})).join(', ');
  if (value === '' || value === null) return 'none';
  if (typeof value === 'boolean' || shapeOf(schema).kind === 'choice') return choiceInWords(value as Scalar);
  return typeof value === 'number' ? value.toLocaleString('en') : asText(value);
};

const units = ['week', 'day', 'hour', 'minute', 'second'];

/** “1 day, 2 hours” for `P1DT2H`. */
const span = (text: string): string => {
  const parts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text)?.slice(1) ?? [];
  const words = parts.flatMap((count: string | undefined, at) =>
    count === undefined ? [] : [`${count} ${units[at]}${count === '1' ? '' : 's'}`],
  );
  return words.length === 0 ? text : words.join(', ');
};

/** What a trigger is set to, in the words of its form. */
export const SettingFacts = (props: {
  trigger: Trigger;
  /** Which of them; all if left out. */
  names?: readonly string[];
  className: string;
  /** What comes first. */
  children?: ReactNode;
}) => {
  const { trigger, names, className, children } = props;
  const { config, type } = trigger;
  const chosen = useChosenNames(trigger);
  const { properties = {} }: Schema = useTriggerTypes().typeOf(type)?.config ?? {};
  const siblings = Object.keys(properties);
  const shown = (name: string, value: unknown) => {
    if (name === 'leadTime' && typeof value === 'string') return span(value);
    return inWords(
      Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? chosen.inWords(each) : each)) : value,
      properties[name] ?? {},
    );
  };
  return (
    <dl className={`grid gap-x-6 gap-y-3 ${className}`}>
      {children}
      {Object.entries(config)
        .filter(([name]) => names === undefined || names.includes(name))
        .map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-muted">{properties[name]?.title ?? labelOf(name, siblings)}</dt>
            <dd className="text-sm">
              <VisibleText text={shown(name, value)} />
            </dd>
          </div>
        ))}
    </dl>
  );
};
