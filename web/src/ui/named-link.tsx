import { Link } from '@tanstack/react-router';
import { useRead } from '../data/use-read.ts';
import { isGone } from './gone.tsx';
import { VisibleText } from './visible-text.tsx';

const routes = {
  agents: 'GET /v1/agents/{id}',
  tools: 'GET /v1/tools/{id}',
  triggers: 'GET /v1/triggers/{id}',
} as const;
const words = { agents: 'agent', tools: 'tool', triggers: 'trigger' };

type Kind = keyof typeof routes;

/** What people call it; nothing while that is being asked. */
export const useNameOf = (kind: Kind, id: string | undefined): string | undefined => {
  const { data, error } = useRead(routes[kind], { params: { id: id ?? '' } }, { enabled: id !== undefined });
  if (data !== undefined) return data.name;
  if (error === null) return undefined;
  return isGone(error) ? `a deleted ${words[kind]}` : `the ${words[kind]}`;
};

/** Its name, which leads to it. */
export const NamedLink = ({ kind, id }: { kind: Kind; id: string }) => {
  const name = useNameOf(kind, id);
  return (
    <Link to={`/${kind}/${id}`} className="link">
      <VisibleText text={name ?? `the ${words[kind]}`} />
    </Link>
  );
};
