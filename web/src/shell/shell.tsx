import { Link, Outlet } from '@tanstack/react-router';
import { Menu, Search } from 'lucide-react';
import { useState } from 'react';
import { SandboxBanner } from '../pages/sandbox/sandbox-banner.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CommandPalette } from './command-palette.tsx';
import { BottomNavigation, SideNavigation } from './navigation.tsx';
import { Notices } from './notices.tsx';
import { ThemeButton } from './theme.tsx';
import { UnderWay } from './under-way.tsx';
import { WorkspaceMenu } from './workspace-menu.tsx';

const Brand = () => (
  <Link to="/" className="flex min-w-0 items-center gap-2.5 rounded-lg text-base font-semibold tracking-tight">
    <img src="/favicon.svg" alt="" className="size-7 shrink-0" />
    <span className="truncate max-lg:cramped:sr-only">Switchboard</span>
  </Link>
);

/** What surrounds every page. */
export const Shell = () => {
  const [palette, setPalette] = useState(false);
  const [menu, setMenu] = useState(false);
  const search = (
    <button type="button" className="button button-bare px-2.5" onClick={() => setPalette(true)} title="Ctrl K">
      <Search aria-hidden="true" className="size-4" />
      <span className="sr-only">Go to a page, agent or tool</span>
    </button>
  );
  return (
    <div className="flex min-h-dvh flex-col lg:grid lg:grid-cols-[17rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to the page
      </a>
      <aside className="sticky top-0 hidden h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_1fr_auto] gap-5 overflow-y-auto border-r border-line bg-raised px-4 py-5 lg:grid">
        <div className="flex items-center justify-between">
          <Brand />
          <div className="flex">
            {search}
            <ThemeButton />
          </div>
        </div>
        <WorkspaceMenu />
        <SideNavigation />
        <a href="/docs" className="link inline-flex min-h-10 items-center justify-self-start px-3 text-sm">
          API reference
        </a>
      </aside>
      <header className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-raised px-4 py-2 lg:hidden cramped:static">
        <Brand />
        <div className="flex shrink-0">
          {search}
          <ThemeButton />
          <button type="button" className="button button-bare px-2.5" onClick={() => setMenu(true)}>
            <Menu aria-hidden="true" className="size-5" />
            <span className="sr-only">Menu</span>
          </button>
        </div>
      </header>
      <Dialog title="Menu" open={menu} onClose={() => setMenu(false)}>
        <div className="grid gap-5">
          <SideNavigation onGo={() => setMenu(false)} />
          <WorkspaceMenu />
          <a href="/docs" className="link inline-flex min-h-10 items-center px-3 text-sm">
            API reference
          </a>
        </div>
      </Dialog>
      <div className="min-w-0 flex-1">
        <UnderWay />
        <SandboxBanner />
        <Notices />
        <main id="main" tabIndex={-1} className="outline-none">
          <Outlet />
        </main>
      </div>
      <BottomNavigation />
      <CommandPalette open={palette} setOpen={setPalette} />
    </div>
  );
};
