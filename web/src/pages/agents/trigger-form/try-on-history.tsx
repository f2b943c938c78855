import { FlaskConical } from 'lucide-react';
import type { Preview } from '../../../../../client/src/index.ts';
import { PreviewResult } from './preview-result.tsx';

/** Tries the settings before they are saved. Nothing starts. */
export const TryOnHistory = (props: {
  isBusy: boolean;
  isStale: boolean;
  disabled?: boolean;
  preview: Preview | undefined;
  onTry: () => void;
}) => {
  const { isBusy, isStale, disabled = false, preview, onTry } = props;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <button type="button" className="button button-quiet" disabled={disabled} aria-busy={isBusy} onClick={onTry}>
          <FlaskConical aria-hidden="true" className="size-4" />
          {isBusy ? 'Looking at recent history …' : 'Try on recent history'}
        </button>
        <span className="text-xs text-muted">
          {disabled && 'Choose an account first.'}
          {!disabled &&
            (preview !== undefined && isStale ? 'The settings changed since; try again.' : 'Nothing starts.')}
        </span>
      </div>
      {preview !== undefined && (
        <div className={isStale ? 'opacity-60' : ''}>
          <PreviewResult preview={preview} />
        </div>
      )}
    </div>
  );
};
