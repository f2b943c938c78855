import type { PermissionType } from '#kit';

/** Whether what leaves asks a person first. */
export type Permission = 'approval' | 'autopilot';

export type ToolInput = {
  name: string;
  type: 'string' | 'number' | 'boolean' | 'object' | 'array' | 'account';
  required: boolean;
  default?: unknown;
  description?: string | undefined;
  /** Of an account: which service, and what it must have been granted. */
  integration?: string | undefined;
  permissionType?: PermissionType | undefined;
};

/** Whom a step runs as: a fixed account, one of the tool's inputs, or a stored secret. */
export type AccountChoice = { id: string } | { input: string } | { secret: string };

export type ToolStep = {
  key: string;
  step: string;
  account: AccountChoice;
  /** With placeholders. */
  input: Record<string, unknown>;
  permission: Permission;
};

/** A tool as a person made it. Every version is kept as it was. */
export type ToolDefinition = {
  name: string;
  description: string;
  inputs: ToolInput[];
  steps: ToolStep[];
  /** With placeholders; without one, what the last step answered. */
  output?: unknown;
};
