import type { Permission } from '../tools/definition.ts';

/** Carries out one tool for each event, without a model. */
export type ToolRunner = {
  type: 'tool';
  toolId: string;
  /** The tool's inputs, with placeholders for what the event brings. */
  input: Record<string, unknown>;
};

export type ModelProvider = 'openai-compatible' | 'anthropic';

/** A language model that calls the agent's tools as it sees fit. What is left out is as the operator set it. */
export type ModelRunner = {
  type: 'model';
  toolId?: undefined;
  provider?: ModelProvider | undefined;
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** Inputs of its tools that the model neither sees nor chooses, by name, with placeholders for what the event brings. */
  input: Record<string, unknown>;
  maxTurns: number;
  /** Read and written, in all turns together. */
  maxTokens: number;
  /** Of work; waiting for people or services does not count. */
  maxSeconds: number;
};

/** An agent on another platform. It is told what happened and calls back for each tool. */
export type WebhookRunner = {
  type: 'webhook';
  toolId?: undefined;
  url: string;
  /** Inputs of its tools that it neither sees nor chooses, by name, with placeholders for what the event brings. */
  input: Record<string, unknown>;
  /** How long it may take; waiting for people does not count. */
  deadlineSeconds: number;
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
  /** How many of its runs are carried out at once; without it, as many as there are. */
  concurrency?: number | null | undefined;
  tools: AgentTool[];
  runner: ToolRunner | ModelRunner | WebhookRunner;
};
