export { AgentPage } from './agent/agent-page.tsx';
export { AgentsPage } from './list/agents-page.tsx';
export { NewAgentPage } from './new-agent-page.tsx';
export { TriggerPage } from './trigger/trigger-page.tsx';
export { TriggersPage } from './triggers-page.tsx';
