/** What is wrong with a form may be out of sight, in a part that is folded, or unheard: whoever sent it is led to the first field of it. */
export const leadToMistake = (): void => {
  let sent: HTMLFormElement | undefined;
  const lead = () => {
    const first = sent?.querySelector<HTMLElement>('[aria-invalid=true]') ?? null;
    const at = document.activeElement;
    // Who has gone on meanwhile stays there.
    if (first === null || !(at === document.body || at?.matches('button') === true)) return;
    const folded = first.closest('details');
    if (folded !== null) folded.open = true;
    first.focus();
  };
  addEventListener('submit', ({ target }) => {
    sent = target as HTMLFormElement;
    // The same mistake once more changes nothing.
    requestAnimationFrame(lead);
  });
  addEventListener('input', () => {
    sent = undefined;
  });
  new MutationObserver(lead).observe(document, { subtree: true, attributeFilter: ['aria-invalid'] });
};
