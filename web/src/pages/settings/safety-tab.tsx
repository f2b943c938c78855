import { useRead } from '../../data/use-read.ts';
import { Shown } from '../../ui/states.tsx';
import { ApproverNotices } from './approver-notices.tsx';
import { EmergencyStop } from './emergency-stop.tsx';

/** What may leave without a person, who is asked, and how to stop everything. */
export const SafetyTab = () => {
  const settings = useRead('GET /v1/settings');
  return (
    <>
      <EmergencyStop />
      <Shown of={settings} loading="Looking at the settings">
        {(data) => <ApproverNotices settings={data} />}
      </Shown>
    </>
  );
};
