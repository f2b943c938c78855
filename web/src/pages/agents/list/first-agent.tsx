import { Bot } from 'lucide-react';
import { useSession } from '../../../data/session.tsx';
import { Empty } from '../../../ui/states.tsx';
import { TemplateChoice } from '../templates/template-choice.tsx';

/** No agent yet: the shortest way to one that works. */
export const FirstAgent = () => {
  const { may } = useSession();
  return (
    <>
      <Empty icon={Bot} title="No agent yet">
        <p>
          {may('builder')
            ? 'Start from one that works, then make it yours.'
            : 'A builder or an owner of this workspace can make one.'}
        </p>
      </Empty>
      {may('builder') && <TemplateChoice />}
    </>
  );
};
