import { defineIntegration } from '#kit';
import { signIn } from './auth.ts';
import { calendars, contactFolders } from './calendar-pickers.ts';
import { calendarSteps } from './calendar-steps.ts';
import { contactSteps } from './contact-steps.ts';
import { mailSteps } from './mail-steps.ts';
import { folders, incomingFolders, labels } from './pickers.ts';
import { forMailboxes } from './shared-mailboxes.ts';
import { apiCall } from './steps/api-call.ts';
import { newEmail } from './triggers/new-email.ts';
import { mailUpstream } from './upstream.ts';
import { createMailWatching } from './watching/index.ts';

export const mail = defineIntegration({
  name: 'mail',
  title: 'Mail',
  purpose: 'Mail, calendar and contacts.',
  auth: [signIn],
  upstream: mailUpstream,
  steps: [...[...mailSteps, ...calendarSteps, ...contactSteps].map(forMailboxes), apiCall],
  triggers: [newEmail],
  watching: createMailWatching(),
  pickers: [folders, incomingFolders, labels, calendars, contactFolders],
});
