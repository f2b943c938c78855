import { Page } from '../../ui/page.tsx';

export const ToolsPage = () => <Page title="Tools">…</Page>;

export const NewToolPage = () => <Page title="NewTool">…</Page>;

export const ToolPage = () => <Page title="Tool">…</Page>;
