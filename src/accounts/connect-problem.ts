import { Fault } from '#kit';
import { GrantRefused } from './oauth.ts';

/** Every way in which connecting can end without an account. */
export type ConnectProblem =
  | 'expired'
  | 'other_browser'
  | 'denied'
  | 'admin_consent'
  | 'personal_account'
  | 'wrong_person'
  | 'unavailable'
  | 'refused';

/** Ends an attempt to connect. `about` names what the page speaks of: who signed in and who should have. */
export class Stopped extends Error {
  readonly problem: ConnectProblem;
  readonly about: readonly string[];

  constructor(problem: ConnectProblem, ...about: string[]) {
    super(problem);
    this.problem = problem;
    this.about = about;
  }

  /** What a failure on the way means for the person; what is none of theirs is thrown on. */
  static from(error: unknown): Stopped {
    if (error instanceof Stopped) return error;
    if (error instanceof GrantRefused) return new Stopped('refused');
    if (!(error instanceof Fault)) throw error;
    // The account that it was for is gone; what the service does not find says nothing of the link.
    if (error.code === 'not_found' && error.details?.['upstream'] === undefined) return new Stopped('expired');
    const away = error.code === 'upstream_unavailable' || error.code === 'rate_limited' || error.code === 'unavailable';
    return new Stopped(
      away ? 'unavailable' : 'refused',
      ...(error.code === 'upstream_rejected' ? [error.message] : []),
    );
  }
}

// AADSTS 90094 and 90095: an administrator must agree first.
const adminNeeded = /AADSTS9009[45]\b/;

/** What the service's own refusal means. `workOnly`: something was asked for that personal accounts do not have. */
export const problemOf = (error: string, description: string, workOnly: boolean): ConnectProblem => {
  if (adminNeeded.test(description)) return 'admin_consent';
  if (error === 'invalid_scope' && workOnly) return 'personal_account';
  if (error === 'temporarily_unavailable' || error === 'server_error') return 'unavailable';
  // The board service says it in words: "Token request rejected".
  if (error === 'access_denied' || error === 'consent_required' || /reject|denied/i.test(error)) return 'denied';
  return 'refused';
};
