import { Link } from '@tanstack/react-router';
import { ExternalLink, FlaskConical } from 'lucide-react';
import { useSession } from '../../data/session.tsx';
import { useSandbox } from './use-sandbox.ts';

const link = 'inline-flex min-h-10 items-center gap-1.5 underline decoration-info/40 underline-offset-4';

/** Says on every page that nothing here is real, and leads to what stands in for it. */
export const SandboxBanner = () => {
  const sandbox = useSandbox();
  const { may } = useSession();
  if (sandbox?.enabled !== true) return null;
  return (
    <aside
      aria-label="Sandbox"
      className="flex flex-wrap items-center gap-x-4 bg-info-soft sm:gap-x-5 px-4 text-sm text-info sm:px-8"
    >
      <p className="flex min-h-10 items-center gap-2">
        <FlaskConical aria-hidden="true" className="size-4 shrink-0" />
        <span>
          Sandbox<span className="max-sm:hidden">: mail and boards are stand-ins on this machine</span>
        </span>
      </p>
      <span className="ml-auto flex flex-wrap gap-x-4 sm:gap-x-5">
        <a className={link} href={sandbox.mail} target="_blank" rel="noreferrer">
          Mailbox <ExternalLink aria-label="(opens a new tab)" className="size-3.5 max-sm:sr-only" />
        </a>
        <a className={link} href={sandbox.board} target="_blank" rel="noreferrer">
          Board <ExternalLink aria-label="(opens a new tab)" className="size-3.5 max-sm:sr-only" />
        </a>
        {may('builder') && (
          <Link to="/sandbox" className={link}>
            Tour & faults
          </Link>
        )}
      </span>
    </aside>
  );
};
