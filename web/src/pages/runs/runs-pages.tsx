export { RunPage } from './run-page.tsx';
export { RunsPage } from './runs-list.tsx';
