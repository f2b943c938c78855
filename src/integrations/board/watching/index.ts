import type { Watching } from '#kit';
import { catchingUp } from './catching-up.ts';
import { own } from './own.ts';
import { receive } from './receive.ts';
import { registrations } from './registrations.ts';
import { state } from './state.ts';

/** How boards, the account's own member and its workspaces are watched. */
export const watching: Watching = {
  push: { offers: () => true, ...registrations, receive },
  ...catchingUp,
  state,
  own,
};
