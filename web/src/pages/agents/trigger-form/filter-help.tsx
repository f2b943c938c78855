const patterns: readonly [string, string][] = [
  ['subject:invoice', 'the subject contains the text; parts of words count'],
  ['body:"has not arrived"', 'the text contains these words in a row'],
  ['from:*contoso.com', 'the sender is of this domain'],
  ['from:luis@contoso.com', 'the sender is this person; also to:, cc:, recipients:, participants:'],
  ['hasAttachments:true', 'only mail with attachments'],
  ['attachment:report', 'an attachment has this in its name'],
  ['received:07/23/2026', 'received on this day (month first), in the zone of the mailbox; also today, a..b'],
  ['importance:high', 'as the sender marked it'],
];

/** The search syntax by example. A press adds the pattern. */
export const FilterHelp = ({ onPick }: { onPick: (pattern: string) => void }) => (
  <details className="text-sm">
    <summary className="link w-fit cursor-pointer py-1 text-xs">How to write a filter</summary>
    <div className="mt-2 grid gap-3 rounded-lg bg-sunken p-3 text-xs text-muted">
      <ul className="grid gap-1">
        {patterns.map(([pattern, meaning]) => (
          <li key={pattern} className="grid gap-x-3 sm:grid-cols-[13rem_minmax(0,1fr)] sm:items-center">
            <button
              type="button"
              className="min-h-10 justify-self-start rounded px-1 text-left font-mono text-accent hover:bg-hover sm:min-h-7"
              onClick={() => onPick(pattern)}
            >
              {pattern}
              <span className="sr-only">: add it to the filter</span>
            </button>
            <span className="px-1">{meaning}</span>
          </li>
        ))}
      </ul>
      <p>
        Combine with <code>AND</code>, <code>OR</code>, <code>NOT</code> and parentheses, as in{' '}
        <code>subject:invoice AND (from:*contoso.com OR from:*fabrikam.com)</code>: these three in capitals. In what is
        looked for, upper and lower case do not matter.
      </p>
    </div>
  </details>
);
