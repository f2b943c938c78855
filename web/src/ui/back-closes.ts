import type { RouterHistory } from '@tanstack/react-router';

/**
 * Whoever goes back while a window lies over the page means the window, above all on a phone. It is closed as by Escape, which warns where
 * something would be lost. Registered before any page: what lies on top is asked first.
 */
export const backCloses = (history: RouterHistory): void => {
  history.block({
    enableBeforeUnload: false,
    blockerFn: ({ action }) => {
      const top =
        document.activeElement?.closest('dialog') ?? document.querySelector<HTMLDialogElement>('dialog[open]');
      if (action !== 'BACK' || top === null || top.dataset['inAddress'] !== undefined) return false;
      if (top.dispatchEvent(new Event('cancel', { cancelable: true }))) top.close();
      return true;
    },
  });
};
