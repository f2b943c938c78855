/** Bars that stay in sight must leave room for what they stand over: in large letters or a low window they wait at its end. */
export const watchRoom = (): void => {
  const root = document.documentElement;
  const look = () => {
    const letter = Number.parseFloat(getComputedStyle(root).fontSize);
    root.toggleAttribute('data-cramped', innerWidth < 17 * letter || innerHeight < 30 * letter);
  };
  look();
  addEventListener('resize', look);
  // Letters that grow make the page longer.
  new ResizeObserver(() => requestAnimationFrame(look)).observe(root);
};
