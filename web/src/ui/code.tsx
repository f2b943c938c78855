import { Check, Copy } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useToast } from './toast.tsx';
import { VisibleText } from './visible-text.tsx';

/** Text to take along. */
export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [copied, setCopied] = useState(false);
  const { say } = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without TLS browsers have no clipboard to offer.
      return say('The browser does not let pages copy here. Select the text and copy it yourself.', 'bad');
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  const Icon = copied ? Check : Copy;
  return (
    <button type="button" className="button button-quiet" onClick={() => void copy()} aria-label={`Copy ${what}`}>
      <Icon aria-hidden="true" className="size-4" />
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
};

/** A value as JSON: plain text, never markup. */
export const Json = ({ value, label }: { value: unknown; label: string }) => {
  const text = useMemo(() => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)), [value]);
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="untrusted max-h-96 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs"
    >
      <VisibleText text={text ?? ''} />
    </pre>
  );
};
