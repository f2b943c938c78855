import { Kanban, Mail, Plug } from 'lucide-react';

const icons = { mail: Mail, board: Kanban };

export const IntegrationIcon = ({ name }: { name: string }) => {
  const Icon = icons[name as keyof typeof icons] ?? Plug;
  return (
    <span className="grid size-11 shrink-0 place-items-center rounded-xl bg-accent-soft text-accent">
      <Icon aria-hidden="true" className="size-5" />
    </span>
  );
};
