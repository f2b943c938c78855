// Some scripts are written with joiners, and some emoji are several signs joined; elsewhere nobody sees them.
const latinJoiners = /(?<=[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\u200c\u200d]+/gu;
const looseJoiners =
  /(?<![\p{L}\p{M}])\u200c|\u200c(?!\p{L})|(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?![\p{L}\p{Extended_Pictographic}])/gu;
const looseSelectors = /(?<![\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f]|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]+/gu;

/** Text without the joiners and selectors that change nothing a reader sees. */
export const withoutLooseJoiners = (text: string): string =>
  text.replace(latinJoiners, '').replace(looseJoiners, '').replace(looseSelectors, '');
