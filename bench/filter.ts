import {
  type CompiledFilter,
  compileFilter,
  type FilterMail,
  type FoldedMail,
  filterIndex,
  fold,
  parseFilter,
} from '../src/integrations/mail/filter/index.ts';
import { noteFigure } from './lib/figures.ts';

/*
 * Many search filters on one mailbox: the index beside a loop that asks every compiled filter, in the same run and with
 * equal results. Folding a mail is part of both. One filter is measured beside the same condition written by hand.
 */

const rounds = 5;
const mailCount = 400;

let state = 20_261_102;
const random = (): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state / 0x80000000;
};
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const between = (low: number, high: number): number => low + below(high - low);

const syllables =
  'con tra ver in re pro com ex de ter ment tion al er or an is en at ic ous ble fer port ship pay bill due der plan ner vo ice lu mi na ra to ki sto gra fin ser vic tem pla ful ness ing ly mar ket cha nel sup pli bud get qua li ty man ag sys off ope wor king tro ble hal low bro ken stan dard pri sum mer gé'.split(
    ' ',
  );
const everyday =
  'the to and of a in for you is on we your this with be please from at our it invoice meeting update status report project budget review order shipment contract customer reminder overdue';
/** As many words as people use in letters; the first are said far more often than the last, as in any language. */
const vocabulary = [
  ...everyday.split(' '),
  ...Array.from({ length: 20_000 }, () => Array.from({ length: between(2, 5) }, () => pick(syllables)).join('')),
];
const said = (): string => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? 'the';
/** A word somebody would filter by: one of the everyday words now and then, else a less common one. */
const telling = (): string =>
  vocabulary[random() < 0.05 ? between(20, 35) : between(200, vocabulary.length)] ?? 'invoice';
const prose = (words: number): string => Array.from({ length: words }, said).join(' ');
const domain = (): string => `${pick(['', 'mail.', 'eu.'])}company${below(1500)}.example`;
const categories = ['Red', 'Blue', 'Customers', 'Travel', 'Taxes', 'Team'];

const mails: FilterMail[] = Array.from({ length: mailCount }, () => ({
  subject: prose(between(3, 10)),
  body: prose(between(50, 900)),
  from: [{ name: `${said()} ${said()}`, address: `user${below(20)}@${domain()}` }],
  to: [{ name: 'Ada Lovelace', address: 'ada@sandbox.test' }],
  cc: [],
  bcc: [],
  hasAttachments: random() < 0.2,
  attachmentNames: [],
  receivedAt: new Date(Date.UTC(2026, 10, between(1, 29), below(24))),
  importance: random() < 0.05 ? 'high' : 'normal',
  categories: random() < 0.1 ? [pick(categories)] : [],
  size: between(2000, 200_000),
  isRead: false,
}));

/** What people filter by, and of a hundred filters how many. */
const mix: { share: number; name: string; make: () => string }[] = [
  { share: 20, name: 'sender domain', make: () => `from:*${domain()}` },
  { share: 8, name: 'sender address', make: () => `from:user${below(20)}@${domain()}` },
  { share: 15, name: 'subject word', make: () => `subject:${telling()}` },
  { share: 14, name: 'domain and subject', make: () => `from:*${domain()} AND subject:${telling()}` },
  { share: 10, name: 'body word', make: () => `body:${telling()}` },
  { share: 6, name: 'subject and attachments', make: () => `subject:${telling()} hasAttachments:true` },
  {
    share: 6,
    name: 'domain and either body',
    make: () => `from:*${domain()} (body:${telling()} OR body:${telling()})`,
  },
  { share: 5, name: 'free word', make: telling },
  { share: 3, name: 'free phrase', make: () => `"${telling()} ${said()}"` },
  {
    share: 5,
    name: 'either subject, not domain',
    make: () => `(subject:${telling()} OR subject:${telling()}) -from:*${domain()}`,
  },
  { share: 3, name: 'category', make: () => `category:${pick(categories)} NOT subject:${telling()}` },
  { share: 2, name: 'attachments on days', make: () => `hasAttachments:true received:11/${between(10, 28)}/2026` },
  { share: 1, name: 'size (no anchor)', make: () => `size>${between(1, 50)}MB` },
  {
    share: 1,
    name: 'days without a word (no anchor)',
    make: () => `received<11/${between(10, 28)}/2026 -subject:${telling()}`,
  },
  { share: 1, name: 'one of two, one denied (no anchor)', make: () => `subject:${telling()} OR NOT from:*example` },
];
const kinds = mix.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
const mixed = (): string => pick(kinds).make();
const domainAndSubject = (): string => `from:*${domain()} AND subject:${said()}`;

const context = { zone: 'Europe/Berlin', now: () => new Date('2026-11-15T12:00:00Z') };
const compile = (text: string): CompiledFilter => compileFilter(parseFilter(text), context);
const say = (text: string): void => void process.stdout.write(`  ${text}\n`);
/** CPU time of this thread, so that neighbours on the machine are not measured. */
const timed = <T>(act: () => T): { ms: number; result: T } => {
  const before = process.threadCpuUsage();
  const result = act();
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000, result };
};
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const perSecond = (ms: number, count = mailCount): string =>
  `${Math.round((count / ms) * 1000).toLocaleString('en')}/s`;

const compareOne = (): void => {
  const filter = compile('subject:invoice AND from:*company7.example');
  const byHand = ({ subject, from: [sender] }: FilterMail): boolean =>
    sender?.address.endsWith('@company7.example') === true && subject.toLowerCase().includes('invoice');
  const repeats = 1000;
  const folded = mails.map(fold);
  const each = (act: (at: number) => unknown): number =>
    timed(() => {
      for (let n = 0; n < repeats; n++) for (let at = 0; at < mailCount; at++) act(at);
    }).ms;
  const contestants: [string, (at: number) => unknown][] = [
    ['by hand', (at) => byHand(mails[at] as FilterMail)],
    ['compiled, folding included', (at) => filter.matches(fold(mails[at] as FilterMail))],
    ['compiled, already folded', (at) => filter.matches(folded[at] as FoldedMail)],
  ];
  for (const [name, act] of contestants) {
    const ms = median(Array.from({ length: rounds }, () => each(act)));
    say(`1 filter, ${name}: ${perSecond(ms, mailCount * repeats)}`);
  }
};

const compareMany = (name: string, count: number, make: () => string, goal: number): boolean => {
  const texts = Array.from({ length: count }, make);
  const { ms: compiling, result: filters } = timed(() =>
    texts.map((text, n) => ({ id: `${n}`, filter: compile(text) })),
  );
  const building = Array.from({ length: rounds }, () => timed(() => filterIndex(filters)).ms);
  const index = filterIndex(filters);
  const loop = (mail: FilterMail): string[] => {
    const folded = fold(mail);
    return filters.filter(({ filter }) => filter.matches(folded)).map(({ id }) => id);
  };
  const indexed = (mail: FilterMail): string[] => index.matching(fold(mail));

  const expected = mails.map(loop);
  if (JSON.stringify(mails.map(indexed)) !== JSON.stringify(expected))
    throw new Error('The index finds other filters.');
  const found = expected.reduce((sum, ids) => sum + ids.length, 0) / mailCount;

  // The faster reads the mails several times: CPU time is counted in ticks, and code is compiled once it has run a while.
  const passes = 10;
  const many = (): void => {
    for (let pass = 0; pass < passes; pass++) for (const mail of mails) indexed(mail);
  };
  many();
  const ratios: number[] = [];
  const last = { plain: 0, own: 0 };
  for (let round = 0; round < rounds; round++) {
    last.plain = timed(() => mails.map(loop)).ms;
    last.own = timed(many).ms / passes;
    ratios.push(last.plain / last.own);
  }
  say(
    `${count} filters, ${name}, ${found.toFixed(1)} found a mail: loop ${perSecond(last.plain)}, index ${perSecond(last.own)}; ratio ${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)} at worst, goal ${goal}); read and compiled in ${compiling.toFixed(0)} ms, index built in ${median(building).toFixed(1)} ms`,
  );
  noteFigure({
    what: `mails/s of a loop, ${count} filters, ${name}`,
    value: median(ratios),
    unit: 'ratio',
    goal: { least: goal },
  });
  return median(ratios) >= goal && Math.min(...ratios) >= goal * 0.9;
};

say(`of 100 filters: ${mix.map(({ name, share }) => `${share} ${name}`).join(', ')}`);
const letters = mails.reduce((sum, { body }) => sum + body.length, 0) / mailCount;
say(`${mailCount} mails with ${Math.round(letters)} letters of text on average`);
compareOne();
const met = [
  compareMany('of the mix', 2000, mixed, 20),
  compareMany('of the mix', 10_000, mixed, 20),
  compareMany('all on domain and subject', 10_000, domainAndSubject, 50),
];
process.exitCode = met.every(Boolean) ? 0 : 1;
