import { type LucideIcon, Mail, Plug, SquareKanban } from 'lucide-react';

const icons: Record<string, LucideIcon> = { mail: Mail, board: SquareKanban };

/** The sign of a service, by the beginning of a step's id. */
export const IntegrationIcon = ({ of, className = 'size-4' }: { of: string; className?: string }) => {
  const Icon = icons[of.split('.')[0] ?? ''] ?? Plug;
  return <Icon aria-hidden="true" className={`shrink-0 ${className}`} />;
};
