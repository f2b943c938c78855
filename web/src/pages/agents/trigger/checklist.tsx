import { CircleAlert, CircleCheck } from 'lucide-react';
import type { Finding } from '../../../../../client/src/index.ts';
import { OwnWords } from '../../../ui/own-words.tsx';

const titles: Record<string, string> = {
  workspace: 'Workspace',
  account: 'Account',
  trigger: 'Trigger',
  agent: 'Agent',
  watch: 'Watch',
  notifications: 'Notifications',
  event_type: 'What happened',
  filter: 'Settings',
  skipped: 'Skipped',
  failures: 'Failures',
  polling: 'Timing',
};

/** Everything that was looked at, and what was found. */
export const Checklist = ({ findings }: { findings: Finding[] }) => (
  <ul aria-label="Checks" className="grid divide-y divide-line border-t border-line">
    {findings.map(({ check, ok, message }, at) => {
      const Icon = ok ? CircleCheck : CircleAlert;
      return (
        <li
          key={`${check} ${at}`}
          className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 py-2.5 text-sm sm:grid-cols-[auto_8rem_minmax(0,1fr)]"
        >
          <Icon aria-hidden="true" className={`mt-0.5 size-4 ${ok ? 'text-good' : 'text-warn'}`} />
          <span className="font-medium">
            {titles[check] ?? check}
            <span className="sr-only">{ok ? ': in order.' : ': look here.'}</span>
          </span>
          <span className="col-start-2 text-muted sm:col-start-3">
            <OwnWords text={message} />
          </span>
        </li>
      );
    })}
  </ul>
);
