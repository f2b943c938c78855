import { Page } from '../../ui/page.tsx';

export const EventsPage = () => <Page title="Events">…</Page>;

export const EventPage = () => <Page title="Event">…</Page>;
