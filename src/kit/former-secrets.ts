// Each costs a signature in every message.
const most = 4;

/** Several are kept sealed as one text, the newest first: a blank is in no secret. */
export const splitFormer = (kept: string | undefined): string[] => (kept === undefined ? [] : kept.split(' '));

/** What goes on signing, the newest first. That one has a place of its own, where the version before looks for it. */
export const keepFormer = (...kept: (string | undefined)[]): { previous?: string; earlier?: string } => {
  const [previous, ...earlier] = kept.flatMap(splitFormer).slice(0, most);
  return {
    ...(previous === undefined ? {} : { previous }),
    ...(earlier.length === 0 ? {} : { earlier: earlier.join(' ') }),
  };
};
