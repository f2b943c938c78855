import { Link } from '@tanstack/react-router';
import { useRead } from '../data/use-read.ts';
import { type Place, places } from './places.ts';

/** How many decisions wait, beside the word Approvals. */
const Waiting = ({ className }: { className: string }) => {
  const { data: { pendingApprovals: count } = { pendingApprovals: 0 } } = useRead('GET /v1/overview/waiting');
  if (count === 0) return null;
  return (
    <span className={`rounded-full bg-accent-strong px-1.5 text-xs font-semibold text-white ${className}`}>
      {count.toLocaleString('en')}
      <span className="sr-only"> waiting</span>
    </span>
  );
};

const active = 'bg-accent-soft text-accent font-medium';
const idle = 'text-muted hover:bg-hover hover:text-ink';

export const SideNavigation = ({ onGo }: { onGo?: () => void }) => (
  <nav aria-label="Main" className="grid content-start gap-0.5">
    {places.map(({ to, title, icon: Icon }) => (
      <Link
        key={to}
        to={to}
        {...(onGo === undefined ? {} : { onClick: onGo })}
        activeOptions={{ exact: to === '/' }}
        className="flex min-h-10 items-center gap-3 rounded-lg px-3 text-sm"
        activeProps={{ className: active }}
        inactiveProps={{ className: idle }}
      >
        <Icon aria-hidden="true" className="size-4 shrink-0" />
        {title}
        {to === '/approvals' && <Waiting className="ml-auto" />}
      </Link>
    ))}
  </nav>
);

const thumbs = ['/', '/approvals', '/agents', '/runs'];

/** Within reach of a thumb. */
export const BottomNavigation = () => (
  <nav
    aria-label="Quick"
    className="sticky bottom-0 z-30 grid grid-cols-4 border-t border-line bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden cramped:static cramped:grid-cols-[repeat(auto-fit,minmax(6rem,1fr))]"
  >
    {thumbs
      .map((to) => places.find((place) => place.to === to))
      .filter((place): place is Place => place !== undefined)
      .map(({ to, title, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          className="relative grid min-h-14 place-items-center content-center gap-0.5 text-xs"
          activeProps={{ className: 'text-accent font-medium' }}
          inactiveProps={{ className: 'text-muted' }}
        >
          <Icon aria-hidden="true" className="size-5" />
          {title}
          {to === '/approvals' && <Waiting className="absolute top-1 left-1/2 ml-2.5" />}
        </Link>
      ))}
  </nav>
);
