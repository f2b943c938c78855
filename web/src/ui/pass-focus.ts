/** What had the focus was removed: whoever goes by keyboard goes on nearby, not at the top of the page. */
export const passFocus = (next: () => HTMLElement | null | undefined): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) next()?.focus();
  });
};
