import { factsOf } from '../facts.ts';
import { fillArguments } from '../fill-arguments.ts';
import type { Script } from '../script.ts';
import { sendTools } from './send-tools.ts';

/** Answers the causing mail once, through the first tool that can, and says so. */
export const politeResponder: Script = {
  name: 'polite-responder',
  purpose: 'Answers the causing mail politely through the first send-like tool, then ends with a short summary.',
  move: ({ tools, results, outside }) => {
    const facts = factsOf(outside);
    const about = facts.subject === '' ? 'your message' : `“${facts.subject}”`;
    const whom = facts.senderName === '' ? 'the sender' : facts.senderName;
    const [result] = results;
    if (result !== undefined) {
      if (/\b(error|denied|rejected|refused|failed)\b/i.test(result))
        return { say: `I could not answer ${about}: ${brief(result)}` };
      if (/\b(pending|approval|waiting)\b/i.test(result))
        return { say: `My answer to ${whom} about ${about} is waiting for approval.` };
      return { say: `I answered ${whom} about ${about}.` };
    }
    const body = `Hello${facts.senderName === '' ? '' : ` ${facts.senderName}`},\n\nthank you for writing about ${about}. I have read it and will come back to you soon.\n\nKind regards`;
    const [tool] = sendTools(tools);
    if (tool === undefined) return { say: body };
    const subject = /^re:/i.test(facts.subject) ? facts.subject : `Re: ${facts.subject}`;
    const intent = { to: facts.sender === '' ? [] : [facts.sender], subject, body, facts };
    return { call: [{ name: tool.function.name, arguments: fillArguments(tool.function.parameters, intent) }] };
  },
};

const brief = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
