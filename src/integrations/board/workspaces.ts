import { z } from 'zod';
import { path, type Upstream } from '#kit';

const Workspace = z.object({ id: z.string(), name: z.string(), displayName: z.string().optional() });
export type Workspace = z.output<typeof Workspace>;

/** The workspaces of the account at the board service. */
export const workspacesOf = async ({ upstream }: { upstream: Upstream }): Promise<Workspace[]> => {
  const query = { fields: 'name,displayName' };
  return z.array(Workspace).parse(await upstream.get(path`/1/members/me/organizations`, { query }));
};
