export { ConsentInput, controlApps, controlConsent, controlTokens, TokensInput } from './control.ts';
export { subjectOf } from './directory.ts';
export { identityRoutes } from './routes.ts';
