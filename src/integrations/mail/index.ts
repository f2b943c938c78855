import { defineIntegration } from '#kit';
import { signIn } from './auth.ts';
import { calendarSteps } from './calendar-steps.ts';
import { apiCall } from './steps/api-call.ts';
import { mailUpstream } from './upstream.ts';

export const mail = defineIntegration({
  name: 'mail',
  title: 'Mail',
  purpose: 'Mail, calendar and contacts.',
  auth: [signIn],
  upstream: mailUpstream,
  steps: [...calendarSteps, apiCall],
  triggers: [],
  pickers: [],
});
