import { Paperclip } from 'lucide-react';
import type { ApprovalView } from '../../../../client/src/index.ts';
import { VisibleText } from '../../ui/visible-text.tsx';

const sizeOf = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
};

/** What is enclosed, by name, size and the digest that stands for its content; while it waits it can be opened. */
export const Attachments = ({
  attachments,
  opensAt,
}: Pick<ApprovalView, 'attachments'> & { opensAt?: string | undefined }) => {
  if (attachments.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h3 className="text-sm text-muted">
        {attachments.length === 1 ? '1 attachment' : `${attachments.length} attachments`}
      </h3>
      <ul className="grid gap-2 sm:grid-cols-2">
        {attachments.map(({ name, contentType, size, sha256 }, at) => (
          <li key={at} className="flex min-w-0 gap-3 rounded-lg border border-line px-3 py-2 text-sm">
            <Paperclip aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
            <span className="grid min-w-0">
              <span className="font-medium">
                <VisibleText text={name} />
              </span>
              <span className="text-xs text-muted [overflow-wrap:anywhere]">
                {[contentType, size === undefined ? 'size unknown' : sizeOf(size)].filter(Boolean).join(' · ')}
              </span>
              {sha256 !== undefined && (
                <span className="truncate font-mono text-[0.7rem] text-muted" title={`SHA-256 ${sha256}`}>
                  SHA-256 {sha256}
                </span>
              )}
              {opensAt !== undefined && (
                <a
                  href={`${opensAt}/${at}`}
                  download={name}
                  className="inline-flex min-h-8 items-center justify-self-start font-medium text-accent underline"
                >
                  Download<span className="sr-only"> {name}</span>
                </a>
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
};
