import type { Permission } from '../tools/definition.ts';

/** Carries out one tool for each event, without a model. */
export type ToolRunner = {
  type: 'tool';
  toolId: string;
  /** The tool's inputs, with placeholders for what the event brings. */
  input: Record<string, unknown>;
};

export type AgentTool = {
  toolId: string;
  permission: Permission;
  /** Whether recipients that text from outside chose need a person's approval even in autopilot. */
  recipients: 'guarded' | 'anyone';
};

/** An agent as a person made it. Every version is kept as it was. */
export type AgentDefinition = {
  name: string;
  instructions: string;
  tools: AgentTool[];
  runner: ToolRunner;
};
