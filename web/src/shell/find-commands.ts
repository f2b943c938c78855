export type Command = { title: string; hint: string; to: string; search?: Record<string, string> };

const most = 12;

/** Better is less: the name itself, how it begins, a part of it, or words anywhere. */
const rank = (title: string, text: string): number => {
  if (title === text) return 0;
  if (title.startsWith(text)) return 1;
  return title.includes(text) ? 2 : 3;
};

/** Where these letters may lead, the likeliest first. */
export const findCommands = (commands: readonly Command[], typed: string): Command[] => {
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = commands.filter(({ title, hint }) => {
    const all = `${title} ${hint}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const ranked = found.map((command) => ({ command, rank: rank(command.title.toLowerCase(), text) }));
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ command }) => command);
};
