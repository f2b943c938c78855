import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { Role, Session, SwitchboardError } from '../../../client/src/index.ts';
import { api } from './api.ts';
import { useRead } from './use-read.ts';

const ranks: readonly Role[] = ['viewer', 'approver', 'builder', 'owner'];

const Present = createContext<Session | undefined>(undefined);

export const SessionProvider = ({ session, children }: { session: Session; children: ReactNode }) => (
  <Present value={session}>{children}</Present>
);

/** Who is signed in, and what this person may do. */
export const useSession = () => {
  const session = useContext(Present);
  if (session === undefined) throw new Error('nobody is signed in');
  return { ...session, may: (role: Role) => ranks.indexOf(session.member.role) >= ranks.indexOf(role) };
};

/** The session as the server knows it; `undefined` while nobody is signed in. */
export const useSessionQuery = () => {
  const query = useRead('GET /v1/session');
  const isAnonymous = (query.error as SwitchboardError | null)?.status === 401;
  return { ...query, isAnonymous };
};

const sessionKey = ['GET /v1/session'];

const forgetTheRest = async (queries: QueryClient) => {
  queries.removeQueries({ predicate: ({ queryKey: [route] }) => route !== sessionKey[0] });
  await queries.invalidateQueries();
};

// All tabs of a browser share one session; what one does with it, the others are told at once.
const otherTabs = new BroadcastChannel('switchboard.session');

/** Leaves on purpose: then nobody needs to be told that the session has ended. */
export const useLeave = () => {
  const queries = useQueryClient();
  const startAnew = useStartAnew();
  return async () => {
    await api.call('DELETE /v1/session');
    await queries.resetQueries({ queryKey: sessionKey });
    await startAnew();
  };
};

/** Another person or workspace: nothing that was read before may stay. */
export const useStartAnew = () => {
  const queries = useQueryClient();
  return async () => {
    otherTabs.postMessage('changed');
    await forgetTheRest(queries);
  };
};

/** Who signs out, signs in or goes to another workspace in one tab does so in all of them. */
export const useFollowOtherTabs = () => {
  const queries = useQueryClient();
  useEffect(() => {
    const whose = () =>
      queries.getQueriesData<Session>({ queryKey: sessionKey }).map(([, now]) => [now?.member.id, now?.workspace.id]);
    const follow = async () => {
      const before = String(whose());
      await queries.invalidateQueries({ queryKey: sessionKey });
      if (String(whose()) !== before) await forgetTheRest(queries);
    };
    const heard = () => void follow();
    otherTabs.addEventListener('message', heard);
    return () => otherTabs.removeEventListener('message', heard);
  }, [queries]);
};

/** The other workspaces of this person, and the way there. What the address names stays. */
export const useOtherWorkspaces = () => {
  const { workspace } = useSession();
  const { data } = useRead('GET /v1/workspaces');
  const startAnew = useStartAnew();
  return {
    others: (data?.items ?? []).filter(({ id }) => id !== workspace.id),
    change: (workspaceId: string) => api.call('PATCH /v1/session', { body: { workspaceId } }).then(startAnew),
  };
};
