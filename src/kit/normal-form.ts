// Marks on one letter are sorted with work that grows with the square of their number; no script needs more than a few:
// unicode.org/reports/tr15/#Stream_Safe_Text_Format. Two halfwidth signs are letters that become marks.
const piled = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** A text in a normal form of Unicode. Of marks piled up on one letter, 30 count. */
export const inForm = (text: string, form: 'NFC' | 'NFKD'): string => text.replace(piled, '$1').normalize(form);
