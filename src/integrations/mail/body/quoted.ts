const separators = [
  /^\s*-{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht)\s*-{2,}\s*$/i,
  /^\s*_{20,}\s*$/,
];
const wrote =
  /^\s*(?:on|am|le|el|il|op|den|em)\b.{4,200}\b(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|skrev|escreveu)\b.{0,200}:\s*$/i;
const headerStart = /^\s*\*?(?:from|von|de|da|van|från|fra)\s?:\*?\s+\S/i;
const headerNext =
  /^\s*\*?(?:sent|date|gesendet|datum|envoyé|enviado|inviato|verzonden|skickat|to|an|à|para|a|subject|betreff)\s?:/i;
const quoteLine = /^\s{0,3}>/;

/** Whether the mail being answered begins at this line, with its header block or a line that says so. */
const beginsHistory = (lines: readonly string[], at: number): boolean => {
  const line = lines[at] ?? '';
  if (separators.some((each) => each.test(line))) {
    // A row of underscores is history only where a header follows.
    return !/^\s*_+\s*$/.test(line) || lines.slice(at + 1, at + 4).some((next) => headerStart.test(next));
  }
  if (line.length > 500) return false;
  if (wrote.test(line) || (line !== '' && wrote.test(`${line} ${lines[at + 1] ?? ''}`))) return true;
  return headerStart.test(line) && lines.slice(at + 1, at + 4).filter((next) => headerNext.test(next)).length >= 2;
};

/** Plain text without the mails it answers. What would leave nothing (a bare forward, say) is left alone. */
export const withoutQuoted = (text: string): { text: string; removed: boolean } => {
  const lines = text.split('\n');
  const kept: string[] = [];
  for (const [at, line] of lines.entries()) {
    // A quotation may follow the line that announces it, and an answer may follow the quotation.
    if (beginsHistory(lines, at)) {
      const quotes = lines.slice(at + 1, at + 4).some((next) => quoteLine.test(next));
      if (!quotes) break;
      continue;
    }
    if (!quoteLine.test(line)) kept.push(line);
  }
  const rest = kept.join('\n').trim();
  return rest === '' || kept.length === lines.length ? { text, removed: false } : { text: rest, removed: true };
};
