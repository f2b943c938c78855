import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../data/session.tsx';
import { Page } from '../../ui/page.tsx';
import { AgentEditor } from './editor/agent-editor.tsx';
import { BoardGreeterForm } from './templates/board-greeter-form.tsx';
import { MailResponderForm } from './templates/mail-responder-form.tsx';
import { TemplateChoice } from './templates/template-choice.tsx';

const starts: Record<string, { title: string; about: string; form: ReactNode }> = {
  'mail-responder': {
    title: 'New mail responder',
    about: 'A model answers the mail that arrives.',
    form: <MailResponderForm />,
  },
  'board-greeter': {
    title: 'New board greeter',
    about: 'A comment appears under each new card.',
    form: <BoardGreeterForm />,
  },
  scratch: { title: 'New agent', about: 'Triggers are added when it is made.', form: <AgentEditor /> },
};

/** From a template or from scratch to an agent. */
export const NewAgentPage = () => {
  const { from = '' } = useSearch({ strict: false }) as { from?: string };
  const { may } = useSession();
  const start = starts[from];
  if (!may('builder')) {
    return (
      <Page title="New agent">
        <p className="text-sm text-muted">A builder or an owner of this workspace can make agents.</p>
      </Page>
    );
  }
  if (start === undefined) {
    return (
      <Page title="New agent" about="Start from one that works, then make it yours.">
        <TemplateChoice />
      </Page>
    );
  }
  return (
    <Page
      title={start.title}
      about={start.about}
      actions={
        <Link to="/agents/new" className="button button-quiet">
          Start from something else
        </Link>
      }
    >
      {start.form}
    </Page>
  );
};
