import { Fault, type Path, path, type WatchContext } from '#kit';

type Kind = 'board' | 'member' | 'organization';
export type Resource = { kind: Kind; id: string };

const shape = /^(board|member|organization)\/([0-9a-f]{24}|me)$/;

/** `board/5f…`, `member/me` or `organization/5f…`. */
export const parseResource = (resource: string): Resource => {
  const [, kind, id] = shape.exec(resource) ?? [];
  if (kind === undefined || id === undefined) throw new Fault('internal', 'This is no resource of the board service.');
  return { kind: kind as Kind, id };
};

/** The id that a webhook is registered for; `me` works in addresses only. */
export const modelOf = (resource: string, { account }: Pick<WatchContext, 'account'>): string => {
  const { id } = parseResource(resource);
  return id === 'me' ? account.identity.id : id;
};

/** Where the service lists what happened there. */
export const feedOf = (resource: string): Path => {
  const { kind, id } = parseResource(resource);
  if (kind === 'board') return path`/1/boards/${id}/actions`;
  return kind === 'member' ? path`/1/members/${id}/actions` : path`/1/organizations/${id}/actions`;
};

/** Members and workspaces are watched for new boards alone; a member's feed holds all that the person does anywhere. */
export const filterOf = (resource: string): string =>
  parseResource(resource).kind === 'board' ? 'all' : 'createBoard,copyBoard';
