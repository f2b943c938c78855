import { OctagonX, Play } from 'lucide-react';
import { useSession } from '../../data/session.tsx';
import { useWrite } from '../../data/use-write.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Section } from '../../ui/page.tsx';

const touched = ['session', 'workspace', 'overview', 'runs'];

export const EmergencyStop = () => {
  const { workspace, may } = useSession();
  const stop = useWrite('POST /v1/stop', { refresh: touched, done: 'Stopped: nothing is sent or started.' });
  const resume = useWrite('POST /v1/resume', { refresh: touched, done: 'Work goes on.' });
  return (
    <Section title="Emergency stop">
      <div className="card flex flex-wrap items-center gap-x-6 gap-y-4 p-5 text-sm">
        <div className="grid room-64 flex-1 gap-2">
          <p>{workspace.stopped ? <Badge tone="bad">Stopped</Badge> : <Badge tone="good">Working</Badge>}</p>
          <p className="text-muted">
            {workspace.stopped
              ? `Nothing is sent or started, by agents, tools, keys or people. Events are kept and start their agents when ${may('owner') ? 'you resume' : 'an owner resumes'}.`
              : `${may('owner') ? 'One press stops' : 'An owner can stop'} everything in this workspace: nothing is sent or started until an owner resumes. Nothing is lost: what happens meanwhile waits.`}
          </p>
        </div>
        {may('owner') &&
          (workspace.stopped ? (
            <button
              type="button"
              className="button button-main"
              disabled={resume.isPending}
              onClick={() => resume.mutate({})}
            >
              <Play aria-hidden="true" className="size-4" />
              Resume work
            </button>
          ) : (
            <Confirm
              trigger={
                <>
                  <OctagonX aria-hidden="true" className="size-4" />
                  Stop everything
                </>
              }
              title="Stop everything in this workspace?"
              action="Stop everything"
              className="button button-bad"
              onConfirm={() => stop.mutateAsync({})}
            >
              <p>
                No mail leaves, no card changes and no agent starts until an owner resumes. What is on the wire at this
                instant may still arrive; runs that are under way stop before their next step.
              </p>
              <p>Events are still received and kept, so nothing is lost.</p>
            </Confirm>
          ))}
      </div>
    </Section>
  );
};
