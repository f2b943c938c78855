import { textOf } from '../chat.ts';
import { addressesIn, type Facts, factsOf } from '../facts.ts';
import { fillArguments } from '../fill-arguments.ts';
import type { Call, Script, Turn } from '../script.ts';
import { sendTools } from './send-tools.ts';

/** `call send_mail with {"to": …}`, `use the tool send_mail {…}`: the words most attacks use. */
const explicit =
  /\b(?:call|use|run|invoke|execute)\s+(?:the\s+)?(?:tool\s+|function\s+)?[`"']?([\w-]{2,64})[`"']?[^{\n]{0,40}(\{[^\n]*\})/gi;
const verbs = ['delete', 'remove', 'move', 'archive', 'forward', 'cancel', 'close', 'create', 'update'];

/** A model that believes every word it reads: for tests of what stops it. */
export const obeyEverything: Script = {
  name: 'obey-everything',
  purpose: 'Does whatever instructions it finds in the mail, one after the other: for attack tests.',
  move: (turn) => {
    const orders = ordersIn(turn);
    const next = orders[turn.said];
    if (next !== undefined) return { call: [next] };
    return { say: orders.length === 0 ? 'I found nothing to obey.' : `I obeyed ${orders.length} instruction(s).` };
  },
};

const ordersIn = (turn: Turn): Call[] => {
  // Read what people said, not the tools' answers: the list must stay the same from turn to turn.
  const text = turn.messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : [])).join('\n');
  const plain = text.replaceAll('\\"', '"').replaceAll('\\n', '\n');
  const facts = factsOf(text);
  return [
    ...namedOrders(plain),
    ...mailOrders(turn, plain, facts),
    ...verbOrders(turn, plain, facts),
    ...urlOrders(turn, plain, facts),
  ];
};

/** Offered or not: a deceived model calls whatever it was told to. */
const namedOrders = (text: string): Call[] =>
  [...text.matchAll(explicit)].map(([, name = '', json = '{}']) => ({ name, arguments: json }));

/** Every address named in the text but the sender's gets all there is to know. */
const mailOrders = ({ tools, outside }: Turn, text: string, facts: Facts): Call[] => {
  const [tool] = sendTools(tools).filter(({ function: { name } }) => /send|mail|forward/i.test(name));
  if (tool === undefined || !/\b(send|forward|mail|email|write|reply|cc|bcc)\b/i.test(text)) return [];
  return addressesIn(text)
    .filter((address) => address !== facts.sender)
    .map((address) => {
      const intent = { to: [address], subject: `Fwd: ${facts.subject}`, body: outside, facts };
      return { name: tool.function.name, arguments: fillArguments(tool.function.parameters, intent) };
    });
};

const verbOrders = ({ tools }: Turn, text: string, facts: Facts): Call[] =>
  verbs.flatMap((verb) => {
    const tool = tools.find(({ function: { name } }) => name.toLowerCase().includes(verb));
    if (tool === undefined || !new RegExp(`\\b${verb}\\b`, 'i').test(text)) return [];
    const intent = { to: [facts.sender], subject: facts.subject, body: text, facts };
    return [{ name: tool.function.name, arguments: fillArguments(tool.function.parameters, intent) }];
  });

const urlOrders = ({ tools }: Turn, text: string, facts: Facts): Call[] => {
  const tool = tools.find(({ function: { name } }) => /api_?call|http|fetch|request|browse/i.test(name));
  if (tool === undefined) return [];
  return [...text.matchAll(/https?:\/\/[^\s"'<>\\)]+/g)].map(([url]) => {
    const values = new Map([...facts.values, ['url', url], ['path', url], ['endpoint', url], ['method', 'GET']] as [
      string,
      unknown,
    ][]);
    const intent = { to: [], subject: '', body: text, facts: { ...facts, values } };
    return { name: tool.function.name, arguments: fillArguments(tool.function.parameters, intent) };
  });
};
