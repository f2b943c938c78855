import { Link } from '@tanstack/react-router';
import { Kanban, type LucideIcon, MailCheck, PenLine } from 'lucide-react';

type Choice = { from: string; title: string; about: string; icon: LucideIcon };

const choices: readonly Choice[] = [
  {
    from: 'mail-responder',
    title: 'Mail responder',
    about: 'A model answers the mail that arrives. You approve each answer, or let it send by itself.',
    icon: MailCheck,
  },
  {
    from: 'board-greeter',
    title: 'Board greeter',
    about: 'A comment appears under each new card of a board. No model is needed.',
    icon: Kanban,
  },
  { from: 'scratch', title: 'From scratch', about: 'Instructions, tools and triggers of your own.', icon: PenLine },
];

/** What a new agent can begin with. */
export const TemplateChoice = () => (
  <nav aria-label="Start from" className="grid w-full gap-3 text-left sm:grid-cols-3">
    {choices.map(({ from, title, about, icon: Icon }) => (
      <Link
        key={from}
        to="/agents/new"
        search={{ from }}
        className="card grid content-start gap-2 p-4 transition-colors hover:border-accent hover:bg-hover"
      >
        <Icon aria-hidden="true" className="size-5 text-accent" />
        <span className="text-sm font-medium text-ink">{title}</span>
        <span className="text-xs text-muted">{about}</span>
      </Link>
    ))}
  </nav>
);
