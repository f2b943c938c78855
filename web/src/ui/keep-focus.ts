/** A button that is off while it works loses the focus. It gets it back, unless the person has gone on meanwhile. */
export const keepFocus = (): void => {
  let last: EventTarget | null = null;
  addEventListener('pointerdown', () => {
    last = null;
  });
  addEventListener('focusin', ({ target }) => {
    last = target;
  });
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target === last && document.activeElement === document.body)
        (target as HTMLElement).focus({ preventScroll: true });
  }).observe(document, { subtree: true, attributeFilter: ['disabled'] });
};
