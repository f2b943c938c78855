import { OctagonX, WifiOff } from 'lucide-react';
import { useConnection } from '../data/live.tsx';
import { useSession } from '../data/session.tsx';
import { useWrite } from '../data/use-write.ts';

const bar = 'flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 text-sm sm:px-8';

/** What everyone must know on whatever page: no connection, or an emergency stop. */
export const Notices = () => {
  const connection = useConnection();
  const { workspace, may } = useSession();
  const resume = useWrite('POST /v1/resume', { refresh: ['session', 'overview'], done: 'Work goes on.' });
  return (
    <>
      <div role="status">
        {connection === 'lost' && (
          <p className={`${bar} bg-warn-soft text-warn`}>
            <WifiOff aria-hidden="true" className="size-4 shrink-0" />
            <span className="min-w-0 flex-1">
              The connection is lost. What you see may be old; it is tried again by itself.
            </span>
          </p>
        )}
      </div>
      {workspace.stopped && (
        <div role="alert" className={`${bar} bg-bad-soft text-bad`}>
          <OctagonX aria-hidden="true" className="size-4 shrink-0" />
          <p className="min-w-0 flex-1">Emergency stop: nothing is sent or started. Nothing is lost.</p>
          {may('owner') && (
            <button
              type="button"
              className="button button-quiet"
              disabled={resume.isPending}
              onClick={() => resume.mutate({})}
            >
              Resume
            </button>
          )}
        </div>
      )}
    </>
  );
};
