import { labelOf } from '../forms/words.ts';
import { type Readable, readableOf } from './readable.ts';
import { Time } from './time.tsx';
import { VisibleText } from './visible-text.tsx';

const Facts = ({ facts }: { facts: readonly { name: string; value: Readable }[] }) => (
  <dl className="grid gap-2.5 max-sm:in-[dd]:mt-1 max-sm:in-[dd]:border-l-2 max-sm:in-[dd]:border-line max-sm:in-[dd]:pl-3">
    {facts.map(({ name, value }) => (
      <div key={name} className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <dt className="text-sm text-muted">{labelOf(name)}</dt>
        <dd className="min-w-0 text-sm [overflow-wrap:anywhere]">
          <Value value={value} />
        </dd>
      </div>
    ))}
  </dl>
);

const Value = ({ value }: { value: Readable }) => {
  switch (value.kind) {
    case 'line':
      return <VisibleText text={value.text} />;
    case 'time':
      return <Time at={value.at} exact />;
    case 'text':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <div
          tabIndex={0}
          role="group"
          aria-label="The text"
          className="untrusted max-h-72 overflow-auto rounded-lg bg-sunken p-3 whitespace-pre-wrap"
        >
          <VisibleText text={value.text} />
        </div>
      );
    case 'facts':
      return <Facts facts={value.facts} />;
    case 'list':
      return (
        <ul className="grid gap-2">
          {value.items.map((item, at) => (
            <li key={at}>
              <Value value={item} />
            </li>
          ))}
        </ul>
      );
  }
};

/** What the service told, in words: plain text, never markup. Ids and the like are left to its JSON. */
export const Told = ({ value }: { value: unknown }) => {
  const read = readableOf(value);
  return read !== undefined && <Value value={read} />;
};
