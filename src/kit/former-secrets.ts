// Each costs a signature in every message.
const most = 4;

/** What signs beside the newest secret is kept sealed as one text, the newest first: a blank is in no secret. */
export const splitFormer = (former: string | undefined): string[] => (former === undefined ? [] : former.split(' '));

export const joinFormer = (newest: string | undefined, earlier: string | undefined): string | undefined => {
  const all = [...(newest === undefined ? [] : [newest]), ...splitFormer(earlier)].slice(0, most);
  return all.length === 0 ? undefined : all.join(' ');
};
