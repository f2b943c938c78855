export const mostAnswerBytes = 10_000_000;

/** What was cut from an answer and no cursor leads to: the first item, or the rest of the whole. */
export type Cut = { what: 'first item' | 'rest'; bytes: number };

/** How to get it. `fewer`: how the service is asked for less. */
export const noteOnCut = ({ what, bytes }: Cut, fewer: string, goesOn: boolean): string => {
  const ways = [...(bytes <= mostAnswerBytes ? [`maxBytes ${bytes}`] : []), fewer].join(' or ');
  return what === 'first item'
    ? `The first item is too large for maxBytes and left out; ask for it with ${ways}.${goesOn ? ' nextCursor goes on after it.' : ''}`
    : `No cursor leads to what was cut; ask for it with ${ways}.`;
};
