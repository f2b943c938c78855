/** What had the focus was removed: whoever goes by keyboard goes on nearby, not at the top of the page. */
export const passFocus = (next: () => HTMLElement | null | undefined): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) next()?.focus();
  });
};

/** Something was added: whoever goes by keyboard goes on in it, not behind it. */
export const enter = (added: () => Element | null | undefined): void => {
  requestAnimationFrame(() => added()?.querySelector<HTMLElement>('input, select, textarea, button')?.focus());
};
