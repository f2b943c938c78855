import type { SyntheticEvent } from 'react';

const words = 'This is not JSON yet, or a name twice. Correct or empty it, so that it is not left out.';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** For a field whose text is no value yet: no form is sent without it, and whoever tries is led to it. */
export const unreadable = (isSo: boolean) => ({
  ref: (field: Field | null) => field?.setCustomValidity(isSo ? words : ''),
  // What is folded cannot be led to.
  onInvalid: ({ currentTarget }: SyntheticEvent<Field>) =>
    currentTarget.closest('details:not([open])')?.setAttribute('open', ''),
  ...(isSo ? { 'data-unreadable': true, 'aria-invalid': true as const } : {}),
});
