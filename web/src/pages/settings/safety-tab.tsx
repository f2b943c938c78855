import { useRead } from '../../data/use-read.ts';
import { Shown } from '../../ui/shown.tsx';
import { AllowedRecipients } from './allowed-recipients.tsx';
import { ApproverNotices } from './approver-notices.tsx';
import { DeleteRules } from './delete-rules.tsx';
import { EmergencyStop } from './emergency-stop.tsx';
import { SendRules } from './send-rules.tsx';

/** What may leave without a person, who is asked, and how to stop everything. */
export const SafetyTab = () => {
  const settings = useRead('GET /v1/settings');
  return (
    <>
      <EmergencyStop />
      <Shown of={settings} loading="Looking at the settings">
        {(data) => (
          <>
            <SendRules settings={data} />
            <DeleteRules settings={data} />
            <AllowedRecipients settings={data} />
            <ApproverNotices settings={data} />
          </>
        )}
      </Shown>
    </>
  );
};
