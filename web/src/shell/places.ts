import {
  Activity,
  Bot,
  CheckCheck,
  History,
  LayoutDashboard,
  type LucideIcon,
  Plug,
  Settings,
  ShieldCheck,
  Wrench,
} from 'lucide-react';

export type Place = { to: string; title: string; icon: LucideIcon; about: string };

/** The pages of the app, in the order of the navigation. */
export const places: readonly Place[] = [
  { to: '/', title: 'Overview', icon: LayoutDashboard, about: 'What happened, and what waits for you' },
  { to: '/approvals', title: 'Approvals', icon: CheckCheck, about: 'Decide what may be sent' },
  { to: '/agents', title: 'Agents', icon: Bot, about: 'Instructions, tools and triggers' },
  { to: '/tools', title: 'Tools', icon: Wrench, about: 'What agents can do, made of steps' },
  { to: '/integrations', title: 'Integrations & API Keys', icon: Plug, about: 'Connected accounts and keys' },
  { to: '/events', title: 'Events', icon: Activity, about: 'Every occurrence with its outcome' },
  { to: '/runs', title: 'Runs', icon: History, about: 'Every execution, step by step' },
  { to: '/audit', title: 'Audit', icon: ShieldCheck, about: 'Who changed or sent what' },
  { to: '/settings', title: 'Settings', icon: Settings, about: 'Members, webhooks, limits, emergency stop' },
];
