/** What had the focus was removed: whoever goes by keyboard goes on nearby, not at the top of the page. */
export const passFocus = (next: () => HTMLElement | null | undefined): void => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) next()?.focus();
  });
};

/** Something was added: whoever goes by keyboard goes on in it, not behind it; who is elsewhere by then stays there. */
export const enter = (added: () => Element | null | undefined): void => {
  const before = document.activeElement;
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now !== before && now !== document.body) return;
    added()?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  });
};
