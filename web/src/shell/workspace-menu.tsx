import { useRouter } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useLeave, useOtherWorkspaces, useSession } from '../data/session.tsx';
import { forgetWanted } from '../sign-in/wanted-page.ts';
import { useToast } from '../ui/toast.tsx';
import { useAskFirst } from '../ui/unsaved.tsx';

const item =
  'flex min-h-9 cursor-default items-center gap-2 rounded-md px-2.5 text-sm outline-none data-highlighted:bg-hover';

/** Which workspace this is, the others of this person, and the way out. */
export const WorkspaceMenu = () => {
  const { member, workspace } = useSession();
  const { others, change } = useOtherWorkspaces();
  const { say } = useToast();
  const tell = (error: unknown) => say(error instanceof Error ? error.message : String(error), 'bad');
  const leave = useLeave();
  const { history } = useRouter();
  // Whoever comes next, maybe another person, begins at the beginning.
  const signOut = async () => {
    await leave();
    forgetWanted();
    history.replace('/', undefined, { ignoreBlocker: true });
  };
  const { askFirst, question } = useAskFirst();

  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="flex min-h-12 w-full items-center gap-3 rounded-lg border border-line bg-raised px-3 py-1.5 text-left hover:bg-hover">
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm font-medium">{workspace.name}</span>
            <span className="flex text-xs text-muted">
              <span className="truncate">{member.email}</span>
              <span className="shrink-0 whitespace-pre"> · {member.role}</span>
            </span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
          <span className="sr-only">Workspace and session</span>
        </DropdownMenu.Trigger>
        {/* Not in a portal: on a phone it opens inside a dialog, and would lie beneath it. */}
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          className="z-50 grid max-h-(--radix-dropdown-menu-content-available-height) max-w-[calc(100vw-2rem)] min-w-56 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 text-ink shadow-xl"
        >
          {others.length > 0 && (
            <DropdownMenu.Label className="px-2.5 py-1 text-xs text-muted">Switch workspace</DropdownMenu.Label>
          )}
          {others.map(({ id, name }) => (
            <DropdownMenu.Item key={id} className={item} onSelect={() => askFirst(() => void change(id).catch(tell))}>
              {name}
            </DropdownMenu.Item>
          ))}
          {others.length > 0 && <DropdownMenu.Separator className="my-1 h-px bg-line" />}
          <DropdownMenu.Item className={item} onSelect={() => askFirst(() => void signOut().catch(tell))}>
            <LogOut aria-hidden="true" className="size-4" />
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      {question}
    </>
  );
};
