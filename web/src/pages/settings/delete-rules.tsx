import type { Settings } from '../../../../client/src/index.ts';
import { Section } from '../../ui/page.tsx';
import { LimitsForm } from './limits-form.tsx';

/** How much agents may remove before a person is asked. */
export const DeleteRules = ({ settings: { deletes } }: { settings: Settings }) => (
  <Section
    title="Removing without asking"
    about="For all agents. What they would remove beyond these limits waits for a person; people themselves are not limited."
  >
    <LimitsForm name="deletes" what="Removals" limits={deletes} />
  </Section>
);
