// Made from the OpenAPI description by `npm run client`; changes here are lost.

export type Session = {
  member: Member;
  workspace: Workspace;
};

export type Member = {
  id: string;
  email: string;
  name: string;
  role: Role;
  hasPassword: boolean;
  createdAt: string;
};

export type Role = ("viewer" | "approver" | "builder" | "owner");

export type Workspace = {
  id: string;
  name: string;
  /** Emergency stop: nothing is sent or started. */
  stopped: boolean;
  createdAt: string;
};

export type Error = {
  error: {
    code: string;
    /** What happened and what to do next. */
    message: string;
    details?: ErrorDetails;
    retryAfterMs?: number;
    requestId: string;
  };
};

/** More that belongs to one kind of error may stand beside these. */
export type ErrorDetails = {
  /** The fields that are wrong, by their place in the request ("input.to[0]"), and why. */
  fields?: Array<{
    field: string;
    message: string;
  }>;
  /** What could be named instead of what nothing or several are called. */
  candidates?: Array<unknown>;
  /** The service's own refusal. */
  upstream?: {
    status: number;
    code?: string;
    [name: string]: unknown;
  };
  /** What the account was not granted. */
  missingScopes?: Array<string>;
  connect?: NewConnect;
  /** What was done outside before it failed, and would be done again: steps of a tool by key, writes of a step by `method`, `path` and the `id` of what was made. */
  done?: Array<unknown>;
  /** Nothing happened, and the same request may go well later. */
  retryable?: boolean;
  [name: string]: unknown;
};

/** What makes a connect link. Errors and accounts hold one where somebody must grant access, or grant it again. */
export type NewConnect = {
  integration: string;
  method?: ("oauth2" | "authorize");
  permissionTypes?: Array<PermissionType>;
  /** Connect this account again. */
  accountId?: string;
  /** For this end user of an embedding platform: accounts of all others do not exist then. */
  endUserId?: string;
  returnUrl?: string;
};

export type PermissionType = ("standard" | "shared_mailboxes" | "meetings_collaboration" | "mailbox_settings");

export type OwnWorkspace = (Workspace & {
  role: (Role | null);
});

export type SignInLink = {
  url: string;
  expiresAt: string;
};

export type ApiKey = {
  id: string;
  name: string;
  /** The last characters of the key. */
  hint: string;
  scopes: Array<string>;
  createdAt: string;
  lastUsedAt: (string | null);
  expiresAt: (string | null);
  revokedAt: (string | null);
};

export type CreatedApiKey = (ApiKey & {
  /** Shown this once; it cannot be read again. */
  key: string;
});

export type Scope = ("read" | "run" | "build" | "connect" | "admin" | "approvals:decide" | "sends:autopilot");

export type ClientGrant = {
  id: string;
  /** As the program calls itself; nobody has checked it. */
  clientName: string;
  person: {
    id: string;
    name: string;
  };
  scopes: Array<string>;
  /** The one address that its tokens open. */
  resource: string;
  createdAt: string;
  lastUsedAt: (string | null);
  revokedAt: (string | null);
};

export type AuditRecord = {
  id: string;
  at: string;
  actor: Actor;
  action: string;
  target: (string | null);
  details: Record<string, unknown>;
};

export type Actor = {
  kind: ("member" | "key" | "system");
  id: string;
  name: string;
  /** A model acted for them, over MCP, or gave what they try again. */
  via?: "mcp";
};

export type Integration = {
  name: string;
  title: string;
  purpose: string;
  auth: Array<{
    type: string;
    title: string;
    purpose: string;
    permissionTypes: Array<string>;
    /** Whether the operator has set this way up. */
    available: boolean;
    credential?: Record<string, unknown>;
    guide?: {
      /** Where a key is obtained. */
      registerUrl: string;
      /** Where a token is granted, with `key` added to it. */
      authorizeUrl: string;
    };
  }>;
  steps: Array<StepSummary>;
  triggers: Array<{
    id: string;
    title: string;
    purpose: string;
    /** Whether the service notifies us; otherwise we look. */
    instant: boolean;
    pollSeconds?: number;
    config: Record<string, unknown>;
    event: Record<string, unknown>;
  }>;
};

export type StepSummary = {
  id: string;
  integration: string;
  title: string;
  group: string;
  purpose: string;
  effect: ("read" | "write" | "send" | "destroy");
  deprecated?: string;
};

export type Step = (StepSummary & {
  /** What an account must have been granted, as signing in asks for it; a scope that includes it does, too. */
  scopes: Array<string>;
  input: Record<string, unknown>;
  output: Record<string, unknown>;
});

export type Option = {
  value: string;
  label: string;
  hint?: string;
  /** Where the value is a name, such as `inbox`: its id. */
  id?: string;
};

export type StoredFile = {
  id: string;
  /** The same, as steps take it. */
  ref: string;
  name: string;
  contentType: string;
  size: number;
};

export type AccountChoice = (Account & {
  /** With ?step=: whether this account can run that step. */
  step?: {
    ready: boolean;
    missingScopes: Array<string>;
    connect?: NewConnect;
  };
});

export type Account = {
  id: string;
  integration: string;
  name: string;
  identity: {
    id: string;
    name: string;
    address?: string;
    username?: string;
    kind?: ("work" | "personal");
  };
  state: ("connected" | "needs_reconnect" | "paused" | "disconnected");
  reason?: string;
  authMethod: string;
  permissionTypes: Array<string>;
  scopes: Array<string>;
  endUserId?: string;
  createdAt: string;
};

export type AccountTest = {
  works: boolean;
  account: Account;
  reason?: string;
};

export type ConnectLink = {
  url: string;
  expiresAt: string;
};

export type Secret = {
  id: string;
  integration: string;
  name: string;
  identity: {
    id: string;
    name: string;
    address?: string;
    username?: string;
    kind?: ("work" | "personal");
  };
  createdAt: string;
};

export type Settings = {
  /** Where a returnUrl may lead besides our own pages. */
  allowedReturnOrigins: Array<string>;
  retention: {
    historyDays: number;
    auditDays: number;
    fileDays: number;
  };
  /** How far agents may send without asking. */
  sends: {
    perRun: number;
    perAccountHour: number;
    /** A run that has read something else asks before it answers the mail that started it. */
    strict: boolean;
  };
  /** How much agents may remove without asking. */
  deletes: {
    perRun: number;
    perAccountHour: number;
  };
  /** By account: to whom agents may write from it without asking. */
  allowedRecipients: Record<string, Array<string>>;
  /** Whom agents' models are asked of, instead of whom the operator chose. */
  model: ({
    provider: ("openai-compatible" | "anthropic");
    baseUrl: string;
    model: string;
    hasKey: boolean;
  } | null);
  approverNotices: {
    /** Whether those who may decide are told by mail. */
    mail: boolean;
    /** Whether a mail server is set; without one no mail leaves. */
    mailServer: boolean;
  };
};

export type StepResult = {
  status: "succeeded";
  runId: string;
  output?: unknown;
  warnings: Array<string>;
  /** What came of it, in one sentence. */
  summary: string;
  account: {
    id: string;
    name: string;
  };
  replayed: boolean;
};

export type DryRun = {
  status: "dry_run";
  effect: ("write" | "send" | "destroy" | null);
  /** Method, path, query, headers and body of the first write; null when nothing would be written. */
  request: (Record<string, unknown> | null);
  /** What follows it, of a send: the send last. */
  following?: Array<{
    method: string;
    path: string;
    query?: Record<string, unknown>;
    headers?: Record<string, string>;
    body?: unknown;
    content?: unknown;
  }>;
  view?: ApprovalView;
  account: {
    id: string;
    name: string;
  };
};

/** Drawn from the requests themselves, and covered by the digest. */
export type ApprovalView = {
  kind: ("mail" | "event" | "request");
  from?: {
    name?: string;
    address: string;
  };
  to: Array<{
    name?: string;
    address: string;
  }>;
  cc: Array<{
    name?: string;
    address: string;
  }>;
  bcc: Array<{
    name?: string;
    address: string;
  }>;
  replyTo: Array<{
    name?: string;
    address: string;
  }>;
  subject?: string;
  /** As it reads, and the source where it is HTML. Show the source inert. */
  body?: {
    text: string;
    html?: string;
  };
  attachments: Array<{
    name: string;
    contentType?: string;
    size?: number;
    sha256?: string;
    /** Of a file that the service holds and that is too large to be read for this: the id it has there. */
    id?: string;
    /** The same of a file that the service copies from the message that is answered or forwarded. */
    copyOf?: string;
    /** Of what is answered, inside of its text; the service may leave it out. */
    carried?: true;
  }>;
  /** Everything else that the request says. */
  fields: Record<string, unknown>;
  warnings: Array<string>;
  parts?: Array<{
    kind: ("mail" | "event" | "request");
    from?: {
      name?: string;
      address: string;
    };
    to: Array<{
      name?: string;
      address: string;
    }>;
    cc: Array<{
      name?: string;
      address: string;
    }>;
    bcc: Array<{
      name?: string;
      address: string;
    }>;
    replyTo: Array<{
      name?: string;
      address: string;
    }>;
    subject?: string;
    /** As it reads, and the source where it is HTML. Show the source inert. */
    body?: {
      text: string;
      html?: string;
    };
    attachments: Array<{
      name: string;
      contentType?: string;
      size?: number;
      sha256?: string;
      /** Of a file that the service holds and that is too large to be read for this: the id it has there. */
      id?: string;
      /** The same of a file that the service copies from the message that is answered or forwarded. */
      copyOf?: string;
      /** Of what is answered, inside of its text; the service may leave it out. */
      carried?: true;
    }>;
    /** Everything else that the request says. */
    fields: Record<string, unknown>;
    warnings: Array<string>;
  }>;
};

export type WaitingRun = {
  status: "waiting_approval";
  runId: string;
  approval: Approval;
};

export type Approval = {
  id: string;
  status: ApprovalStatus;
  /** Stands for account, requests and view. A decision names it. */
  digest: string;
  runId: string;
  stepId: string;
  /** A removal waits only where an agent has removed a lot; it cannot be edited. */
  effect: ("send" | "destroy");
  account: {
    id: string;
    name: string;
    integration: string;
    /** Of a mailbox: as whom it acts, however it is named here. */
    address?: string;
    /** The same of a member of a board service. */
    username?: string;
  };
  headline: {
    kind: ("mail" | "event" | "request");
    to: Array<{
      name?: string;
      address: string;
    }>;
    cc: Array<{
      name?: string;
      address: string;
    }>;
    bcc: Array<{
      name?: string;
      address: string;
    }>;
    subject?: string;
    /** Method and path of a call that has no subject. */
    request?: string;
    /** How many there are in all; `to`, `cc` and `bcc` hold the first twenty of each. */
    recipients?: number;
    attachments: number;
    warnings: number;
  };
  cause: {
    startedBy: Actor;
    stepId: string;
    toolId?: string;
    agentId?: string;
    triggerId?: string;
    eventId?: string;
    /** For which end user its run is. */
    endUserId?: string;
    /** Why a run that may send by itself asks. */
    why?: string;
  };
  createdAt: string;
  expiresAt: string;
  decidedAt: (string | null);
  decidedBy: (Actor | null);
  reason: (string | null);
  request: {
    method: string;
    path: string;
    query?: Record<string, unknown>;
    headers?: Record<string, string>;
    body?: unknown;
    content?: unknown;
  };
  /** What follows the request, the send last. */
  following: Array<{
    method: string;
    path: string;
    query?: Record<string, unknown>;
    headers?: Record<string, string>;
    body?: unknown;
    content?: unknown;
  }>;
  view: ApprovalView;
  /** What the step is given; an edit changes fields of it. */
  input: Record<string, unknown>;
};

export type ApprovalStatus = ("pending" | "approved" | "rejected" | "expired" | "void");

export type RunSummary = {
  id: string;
  stepId?: string;
  accountId?: string;
  toolId?: string;
  toolVersion?: number;
  agentId?: string;
  agentVersion?: number;
  triggerId?: string;
  eventId?: string;
  /** What happened that started it, in a few words. */
  about?: string;
  /** For which end user it is, or whose trigger started it. */
  endUserId?: string;
  /** The run that this one tries again. */
  retryOf?: string;
  /** Asked to be cancelled; it stops before its next write or turn of a model. */
  cancelling?: true;
  status: ("queued" | "running" | "waiting_approval" | "succeeded" | "failed" | "cancelled");
  /** A run that is queued because it waits for a service. */
  waiting?: {
    /** Which: an integration, or `model`. */
    service?: string;
    /** Whether it is away, or asks for patience. */
    code: ("upstream_unavailable" | "rate_limited");
    /** How often in a row it was asked in vain. */
    tries: number;
    /** When it is asked again; during an emergency stop, not before that is over. */
    nextTryAt: string;
  };
  startedBy: Actor;
  createdAt: string;
  finishedAt: (string | null);
  error: ({
    code: string;
    message: string;
    details?: unknown;
    retryAfterMs?: number;
  } | null);
};

export type Run = (RunSummary & {
  /** Of the run of a step: as whom it acts. */
  account?: {
    id: string;
    name: string;
  };
  /** Of the run of a step that succeeded: what came of it, in one sentence. */
  summary?: string;
  input?: unknown;
  output?: unknown;
  warnings: Array<string>;
  journal: Array<{
    seq: number;
    at: string;
    kind: string;
    data: Record<string, unknown>;
  }>;
});

export type RetriedRun = {
  runId: string;
  status: ("queued" | "running" | "waiting_approval" | "succeeded" | "failed" | "cancelled");
  retryOf: string;
};

export type StartedRun = {
  runId: string;
  status: ("queued" | "running" | "waiting_approval" | "succeeded" | "failed" | "cancelled");
};

export type RunEnding = ({
  status: "succeeded";
  output?: unknown;
} | {
  status: "failed";
  error?: string;
});

export type Hint = {
  type: ("run" | "approval" | "account" | "trigger" | "event" | "agent" | "tool" | "sync");
  /** What has changed; all of them for `sync`. */
  id?: string;
  /** Its state or outcome, where it is known. */
  status?: string;
};

export type Overview = {
  /** Days begin at midnight of the time zone. */
  bucket: ("hour" | "day");
  /** The one that was asked for; UTC if none was. */
  timeZone: string;
  /** Oldest first, by outcome. */
  events: Array<{
    at: string;
    counts: {
      fired: number;
      filtered: number;
      skipped: number;
      failed: number;
    };
  }>;
  /** Oldest first, by present status. */
  runs: Array<{
    at: string;
    counts: {
      queued: number;
      running: number;
      waiting_approval: number;
      succeeded: number;
      failed: number;
      cancelled: number;
    };
  }>;
  pendingApprovals: number;
  /** Of these days, and not replayed since. */
  eventsGivenUp: number;
  accountsToReconnect: Array<{
    id: string;
    name: string;
    integration: string;
    reason: (string | null);
  }>;
  brokenTriggers: Array<{
    id: string;
    name: string;
    agentId: string;
    reason: (string | null);
  }>;
  /** How many more there are than are named: the twenty newest, and no trigger whose account must be connected again. */
  more: {
    accountsToReconnect: number;
    brokenTriggers: number;
  };
  /** What this workspace has already. */
  firstSteps: {
    account: boolean;
    tool: boolean;
    agent: boolean;
    trigger: boolean;
    run: boolean;
  };
};

export type AgentInUse = (Agent & {
  activity: {
    /** At most three: those that do not work first, then the newest. */
    triggers: Array<{
      id: string;
      name: string;
      state: ("enabled" | "paused" | "broken");
    }>;
    /** How many more there are. */
    moreTriggers: number;
    /** How many of these are broken. */
    moreBroken: number;
    pendingApprovals: number;
    lastRun: ({
      id: string;
      status: ("queued" | "running" | "waiting_approval" | "succeeded" | "failed" | "cancelled");
      createdAt: string;
    } | null);
  };
});

export type AgentTool = {
  toolId: string;
  permission?: Permission;
  recipients?: ("guarded" | "anyone");
};

/** Whether what leaves waits for a person. Where step and agent differ the stricter wins. */
export type Permission = ("approval" | "autopilot");

export type ToolRunner = {
  type: "tool";
  toolId: string;
  /** The tool's inputs; may hold {{event.data.x}}. */
  input?: Record<string, unknown>;
};

/** A language model calls the agent's tools. Without provider, model and baseUrl: the operator's. */
export type ModelRunner = {
  type: "model";
  provider?: ("openai-compatible" | "anthropic");
  model?: string;
  /** Another server than the operator's. The operator's key is not sent there. */
  baseUrl?: string;
  /** Inputs of its tools that the model neither sees nor chooses, by name; may hold {{event.data.x}}. */
  input?: Record<string, unknown>;
  maxTurns?: number;
  maxTokens?: number;
  maxSeconds?: number;
};

/** What happens is posted, signed, to another platform's agent, which calls back with the run's own key. */
export type WebhookRunner = {
  type: "webhook";
  /** https, and reachable by the world. */
  url: string;
  /** Inputs of its tools that the agent neither sees nor chooses, by name; may hold {{event.data.x}}. */
  input?: Record<string, unknown>;
  deadlineSeconds?: number;
};

export type Agent = {
  id: string;
  name: string;
  instructions: string;
  /** How many of its runs are carried out at once; null for as many as there are. */
  concurrency?: (number | null);
  tools: Array<AgentTool>;
  runner: (ToolRunner | ModelRunner | WebhookRunner);
  state: ("enabled" | "paused");
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type Waiting = {
  pendingApprovals: number;
};

export type Names = {
  agents: Array<{
    id: string;
    name: string;
  }>;
  tools: Array<{
    id: string;
    name: string;
  }>;
  triggers: Array<{
    id: string;
    name: string;
    agentId: string;
    accountId: string;
    /** What a trigger for mail looks for. */
    filter: (string | null);
  }>;
  accounts: Array<{
    id: string;
    name: string;
    integration: string;
    /** The address or user name. */
    who: (string | null);
    endUserId: (string | null);
  }>;
};

export type Tool = {
  id: string;
  name: string;
  description: string;
  inputs: Array<ToolInput>;
  steps: Array<ToolStep>;
  /** Default: what the last step answered. */
  output?: unknown;
  version: number;
  createdAt: string;
  updatedAt: string;
};

export type ToolInput = {
  name: string;
  type: ("string" | "number" | "boolean" | "object" | "array" | "account");
  /** Default false; an account is always required. */
  required?: boolean;
  default?: unknown;
  description?: string;
  /** Of an account: which service. */
  integration?: string;
  permissionType?: PermissionType;
};

export type ToolStep = {
  /** Names the step in {{steps.key.output}}. */
  key: string;
  step: string;
  account: ({
    id: string;
  } | {
    input: string;
  } | {
    secret: string;
  });
  /** May hold {{inputs.x}} and {{steps.key.output.path}}. */
  input?: Record<string, unknown>;
  permission?: Permission;
};

export type NewTool = {
  name: string;
  description?: string;
  inputs?: Array<ToolInput>;
  steps: Array<ToolStep>;
  /** Default: what the last step answered. */
  output?: unknown;
};

export type ToolUsers = {
  items: Array<{
    id: string;
    name: string;
    state: ("enabled" | "paused");
  }>;
};

export type ToolResult = {
  status: "succeeded";
  runId: string;
  output?: unknown;
  warnings: Array<string>;
  replayed: boolean;
};

export type ToolDryRun = {
  status: "dry_run";
  steps: Array<{
    key: string;
    step: string;
    account: {
      id: string;
      name: string;
    };
    /** Null when it depends on what an earlier step answers. */
    input: (Record<string, unknown> | null);
    effect: ("write" | "send" | "destroy" | null);
    /** Method, path, query, headers and body of the first write; null when nothing would be written. */
    request: (Record<string, unknown> | null);
    /** What follows it, of a send: the send last. */
    following?: Array<{
      method: string;
      path: string;
      query?: Record<string, unknown>;
      headers?: Record<string, string>;
      body?: unknown;
      content?: unknown;
    }>;
    view?: ApprovalView;
    /** Answers of earlier steps that only a real run has. */
    needs: Array<string>;
  }>;
};

export type WaitingCall = {
  status: "waiting_approval";
  runId: string;
  approval: ApprovalStanding;
};

export type ApprovalStanding = {
  id: string;
  status: ApprovalStatus;
  runId: string;
  stepId: string;
  createdAt: string;
  expiresAt: string;
  decidedAt: (string | null);
  reason: (string | null);
};

export type SavedAgent = (Agent & {
  /** What requests to it are signed with; shown this once. */
  secret?: string;
});

export type NewAgent = {
  name: string;
  instructions?: string;
  /** How many of its runs are carried out at once; null for as many as there are. */
  concurrency?: (number | null);
  tools?: Array<AgentTool>;
  runner: (ToolRunner | ModelRunner | WebhookRunner);
};

export type Trigger = {
  id: string;
  agentId: string;
  accountId: string;
  /** Whose account that is, on an embedding platform. */
  endUserId?: string;
  type: string;
  name: string;
  config: Record<string, unknown>;
  /** What the ids in `config` were called at the service when the trigger was last saved, by id: boards, lists, cards, labels, people, folders, workspaces. What could not be told is left out. Text from outside. */
  names: Record<string, string>;
  /** Grows with each change of its name or configuration. */
  version: number;
  state: ("enabled" | "paused" | "broken");
  reason: (string | null);
  /** What the agent's inputs take from the event, and no event of this type has: while there is any, each run that it starts fails. */
  missing: Array<string>;
  /** Nothing that happened before starts the agent. */
  since: string;
  createdAt: string;
  watches: Array<TriggerWatch>;
};

export type TriggerWatch = {
  id: string;
  resource: string;
  /** What people call it, as the service last told it; null where that is not known. Text from outside. */
  name: (string | null);
  state: ("starting" | "healthy" | "degraded" | "broken");
  reason: (string | null);
  way: ("push" | "poll");
  lastNotifiedAt: (string | null);
  caughtUpAt: (string | null);
  nextLookAt: string;
};

export type Preview = {
  items: Array<{
    upstreamId: string;
    occurredAt: string;
    summary: string;
    outcome: ("fired" | "filtered" | "skipped");
    clause?: string;
    reason?: string;
    data?: unknown;
  }>;
  others: number;
  note?: string;
  /** What the configuration is understood as, where something else may have been meant. */
  hints?: Array<string>;
};

export type EventSummary = {
  id: string;
  triggerId: string;
  upstreamId: string;
  outcome: ("fired" | "filtered" | "skipped" | "failed");
  /** Which part of the configuration did not admit it. */
  clause?: string;
  reason?: string;
  retry?: {
    state: ("retrying" | "dead");
    attempts: number;
    nextTryAt: (string | null);
  };
  occurredAt: string;
  receivedAt: string;
  delivery: ("live" | "catchup" | "test" | "replay");
  /** Its mail or card is made up: it is a test event, or a replay of one. */
  isSample?: true;
  runId?: string;
  /** The newest replay of it, or of what it replays, and what became of that. */
  replayedAs?: {
    id: string;
    outcome: ("fired" | "filtered" | "skipped" | "failed");
  };
  summary: string;
  actor?: {
    id: string;
    name: string;
    isSelf: boolean;
  };
};

export type Diagnosis = {
  triggerId: string;
  cause?: Finding;
  findings: Array<Finding>;
  watches: Array<TriggerWatch>;
  nextLookAt: (string | null);
  gaps: Array<{
    at: string;
    text: string;
  }>;
  /** Of a paused trigger: how many it has skipped so far that `catchUp` would start. */
  skippedInPause?: number;
  recent: Array<{
    id: string;
    outcome: string;
    summary: string;
    clause: (string | null);
    reason: (string | null);
    occurredAt: string;
  }>;
};

export type Finding = {
  check: string;
  ok: boolean;
  message: string;
};

export type Event = (EventSummary & {
  data?: unknown;
});

export type ApprovalSummary = {
  id: string;
  status: ApprovalStatus;
  /** Stands for account, requests and view. A decision names it. */
  digest: string;
  runId: string;
  stepId: string;
  /** A removal waits only where an agent has removed a lot; it cannot be edited. */
  effect: ("send" | "destroy");
  account: {
    id: string;
    name: string;
    integration: string;
    /** Of a mailbox: as whom it acts, however it is named here. */
    address?: string;
    /** The same of a member of a board service. */
    username?: string;
  };
  headline: {
    kind: ("mail" | "event" | "request");
    to: Array<{
      name?: string;
      address: string;
    }>;
    cc: Array<{
      name?: string;
      address: string;
    }>;
    bcc: Array<{
      name?: string;
      address: string;
    }>;
    subject?: string;
    /** Method and path of a call that has no subject. */
    request?: string;
    /** How many there are in all; `to`, `cc` and `bcc` hold the first twenty of each. */
    recipients?: number;
    attachments: number;
    warnings: number;
  };
  cause: {
    startedBy: Actor;
    stepId: string;
    toolId?: string;
    agentId?: string;
    triggerId?: string;
    eventId?: string;
    /** For which end user its run is. */
    endUserId?: string;
    /** Why a run that may send by itself asks. */
    why?: string;
  };
  createdAt: string;
  expiresAt: string;
  decidedAt: (string | null);
  decidedBy: (Actor | null);
  reason: (string | null);
};

export type Webhook = {
  id: string;
  url: string;
  events: Array<("run.finished" | "approval.requested" | "account.needs_reconnect" | "trigger.broken" | "event.fired")>;
  description: string;
  state: ("enabled" | "paused");
  /** Why Switchboard paused it. */
  reason?: string;
  /** Nothing was taken since; after five days it is paused. */
  failingSince?: string;
  /** Until then the secret before signs, too. */
  previousSecretUntil?: string;
  createdAt: string;
};

export type WebhookWithSecret = (Webhook & {
  /** Shown this once; it cannot be read again. */
  secret: string;
});

export type WebhookDetail = (Webhook & {
  recentDeliveries: Array<WebhookDelivery>;
});

export type WebhookDelivery = {
  id: string;
  webhookId: string;
  /** Stands in the header webhook-id, the same at each try. */
  messageId: string;
  payload: {
    type: string;
    timestamp: string;
    data?: unknown;
  };
  state: ("pending" | "delivered" | "failed");
  /** Those before it was sent again included; of the tries, the latest 20 are kept. */
  attempts: number;
  nextTryAt: (string | null);
  /** Oldest first. */
  tries: Array<{
    at: string;
    ms: number;
    status?: number;
    error?: string;
    /** The first 500 characters of the answer. */
    response?: string;
  }>;
  createdAt: string;
  finishedAt: (string | null);
};

export type Sandbox = {
  enabled: boolean;
  /** Address of the sandbox's mailboxes. */
  mail?: string;
  /** Address of the sandbox's boards. */
  board?: string;
};

/** Something that goes wrong at the sandbox now. */
export type SandboxFault = {
  service: ("mail" | "board");
  fault: ("fails_once" | "refuses_once" | "answer_lost_once" | "notifications_lost" | "notifications_doubled" | "tokens_expire");
};

export type SandboxMail = {
  /** Finds its event: `GET /v1/events?upstreamId=`. */
  upstreamId: string;
  from: string;
  to: string;
  subject: string;
};

export type SentMail = {
  id: string;
  from: string;
  to: Array<string>;
  subject: string;
  sentAt: string;
};

export type Routes = {
  /** Sign in with email address and password */
  'POST /v1/session': {
    params: undefined;
    query: undefined;
    body: {
      email: string;
      password: string;
    };
    answer: Session;
  };
  /** Who is signed in, and in which workspace */
  'GET /v1/session': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Session;
  };
  /** Look at another of your workspaces */
  'PATCH /v1/session': {
    params: undefined;
    query: undefined;
    body: {
      workspaceId: string;
    };
    answer: Session;
  };
  /** Sign out */
  'DELETE /v1/session': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Choose a new password */
  'PUT /v1/session/password': {
    params: undefined;
    query: undefined;
    body: {
      password: string;
      /** Needed where there is one, except within 15 minutes of signing in by a link. */
      currentPassword?: string;
    };
    answer: undefined;
  };
  /** The workspaces you belong to; for a key, its own */
  'GET /v1/workspaces': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<OwnWorkspace>;
      nextCursor?: string;
    };
  };
  /** A new workspace, owned by you */
  'POST /v1/workspaces': {
    params: undefined;
    query: undefined;
    body: {
      name: string;
    };
    answer: OwnWorkspace;
  };
  /** Delete a workspace that you own, with everything in it */
  'DELETE /v1/workspaces/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** The workspace of this key or session */
  'GET /v1/workspace': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Workspace;
  };
  /** Rename the workspace */
  'PATCH /v1/workspace': {
    params: undefined;
    query: undefined;
    body: {
      name: string;
    };
    answer: Workspace;
  };
  /** Emergency stop */
  'POST /v1/stop': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Workspace;
  };
  /** Go on after an emergency stop */
  'POST /v1/resume': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Workspace;
  };
  /** The people of this workspace */
  'GET /v1/members': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<Member>;
      nextCursor?: string;
    };
  };
  /** Add a person */
  'POST /v1/members': {
    params: undefined;
    query: undefined;
    body: {
      email: string;
      name?: string;
      role: Role;
    };
    answer: Member;
  };
  /** Change a member's role */
  'PATCH /v1/members/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      role: Role;
    };
    answer: Member;
  };
  /** Remove a member */
  'DELETE /v1/members/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** A link that signs this member in once, within 15 minutes */
  'POST /v1/members/{id}/sign-in-link': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: SignInLink;
  };
  /** The keys of this workspace */
  'GET /v1/api-keys': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<ApiKey>;
      nextCursor?: string;
    };
  };
  /** A new key */
  'POST /v1/api-keys': {
    params: undefined;
    query: undefined;
    body: {
      name: string;
      scopes: Array<Scope>;
      expiresAt?: string;
    };
    answer: CreatedApiKey;
  };
  /** Revoke a key */
  'DELETE /v1/api-keys/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** The programs that people let in over MCP */
  'GET /v1/clients': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<ClientGrant>;
      nextCursor?: string;
    };
  };
  /** Let a program in no longer */
  'DELETE /v1/clients/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Who did what, and every outside write with its outcome */
  'GET /v1/audit': {
    params: undefined;
    query: { limit?: number; cursor?: string; from?: string; to?: string; action?: string; accountId?: string; agentId?: string; stepId?: string; runId?: string; effect?: ("write" | "send" | "destroy") };
    body: undefined;
    answer: {
      items: Array<AuditRecord>;
      nextCursor?: string;
    };
  };
  /** The integrations, how to connect them and what they can do */
  'GET /v1/integrations': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<Integration>;
      nextCursor?: string;
    };
  };
  /** Search the steps */
  'GET /v1/steps': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string; integration?: string };
    body: undefined;
    answer: {
      items: Array<StepSummary>;
      nextCursor?: string;
    };
  };
  /** One step with the JSON Schema of its input and output */
  'GET /v1/steps/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Step;
  };
  /** Values for a drop-down */
  'GET /v1/options/{id}': {
    params: { id: string };
    query: { limit?: number; cursor?: string; accountId: string; endUserId?: string; board?: string; cardId?: string; mailbox?: string };
    body: undefined;
    answer: {
      items: Array<Option>;
      nextCursor?: string;
    };
  };
  /** Keep a file to attach it later by reference */
  'POST /v1/files': {
    params: undefined;
    query: { name: string };
    body: Blob;
    answer: StoredFile;
  };
  /** The content of a file */
  'GET /v1/files/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Blob;
  };
  /** The connected accounts */
  'GET /v1/accounts': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string; endUserId?: string; integration?: string; permissionType?: PermissionType; state?: ("connected" | "needs_reconnect" | "paused"); step?: string };
    body: undefined;
    answer: {
      items: Array<AccountChoice>;
      nextCursor?: string;
    };
  };
  /** Connect an account by a typed credential */
  'POST /v1/accounts': {
    params: undefined;
    query: undefined;
    body: {
      integration: string;
      /** See the integration for the fields. */
      auth: {
        type: string;
        [name: string]: unknown;
      };
      name?: string;
    };
    answer: Account;
  };
  /** One account */
  'GET /v1/accounts/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Account;
  };
  /** Rename, pause or resume an account */
  'PATCH /v1/accounts/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      name?: string;
      state?: ("connected" | "paused");
      /** `true` is `state: paused`, `false` is `state: connected`. */
      paused?: boolean;
    };
    answer: Account;
  };
  /** Disconnect an account */
  'DELETE /v1/accounts/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Does the credential still work? */
  'POST /v1/accounts/{id}/test': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: AccountTest;
  };
  /** A link that connects an account in the browser */
  'POST /v1/connect': {
    params: undefined;
    query: undefined;
    body: NewConnect;
    answer: ConnectLink;
  };
  /** The stored secrets, without what they hold */
  'GET /v1/secrets': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<Secret>;
      nextCursor?: string;
    };
  };
  /** Store a typed credential for step configuration */
  'POST /v1/secrets': {
    params: undefined;
    query: undefined;
    body: {
      integration: string;
      /** See the integration for the fields. */
      auth: {
        type: string;
        [name: string]: unknown;
      };
      name?: string;
    };
    answer: Secret;
  };
  /** Delete a secret */
  'DELETE /v1/secrets/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** The settings of this workspace */
  'GET /v1/settings': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Settings;
  };
  /** Change the settings of this workspace */
  'PATCH /v1/settings': {
    params: undefined;
    query: undefined;
    body: {
      approverNotices?: {
        mail: boolean;
      };
      allowedReturnOrigins?: Array<string>;
      retention?: {
        historyDays?: number;
        auditDays?: number;
        fileDays?: number;
      };
      sends?: {
        perRun?: number;
        perAccountHour?: number;
        /** A run that has read something else asks before it answers the mail that started it. */
        strict?: boolean;
      };
      deletes?: {
        perRun?: number;
        perAccountHour?: number;
      };
      /** Accounts that are not named keep theirs. */
      allowedRecipients?: Record<string, Array<string>>;
      model?: ({
        provider: ("openai-compatible" | "anthropic");
        baseUrl: string;
        model: string;
        /** Never read back. Left out, the present one stays if it goes to the same address. */
        apiKey?: (string | null);
      } | null);
    };
    answer: Settings;
  };
  /** Run a step */
  'POST /v1/steps/{id}/run': {
    params: { id: string };
    query: undefined;
    body: {
      /** An account, by its id, its exact name or its address. */
      accountId?: string;
      /** A stored secret instead of an account. */
      secretId?: string;
      /** For this end user of an embedding platform: accounts of all others do not exist then. */
      endUserId?: string;
      input?: Record<string, unknown>;
      /** "autopilot" counts for members and for keys with sends:autopilot; others ask a person, as without it. */
      permission?: ("approval" | "autopilot");
      dryRun?: boolean;
    };
    answer: ((StepResult | DryRun) | WaitingRun);
  };
  /** The runs of this workspace */
  'GET /v1/runs': {
    params: undefined;
    query: { limit?: number; cursor?: string; from?: string; to?: string; status?: ("queued" | "running" | "waiting_approval" | "succeeded" | "failed" | "cancelled"); agentId?: string; toolId?: string; endUserId?: string; query?: string };
    body: undefined;
    answer: {
      items: Array<RunSummary>;
      nextCursor?: string;
    };
  };
  /** One run with its journal */
  'GET /v1/runs/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Run;
  };
  /** Cancel a run */
  'POST /v1/runs/{id}/cancel': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Run;
  };
  /** Try a run again that failed or was cancelled */
  'POST /v1/runs/{id}/retry': {
    params: { id: string };
    query: undefined;
    body: {
      /** Although something of it may have happened. */
      evenIfUnknown?: boolean;
      /** Although something of it is done once more. */
      evenIfDone?: boolean;
    };
    answer: RetriedRun;
  };
  /** End a run that another platform carries out */
  'POST /v1/runs/{id}/finish': {
    params: { id: string };
    query: undefined;
    body: RunEnding;
    answer: StartedRun;
  };
  /** What changes in this workspace, as it happens */
  'GET /v1/stream': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** One run, as it goes on */
  'GET /v1/runs/{id}/stream': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** How this workspace is doing */
  'GET /v1/overview': {
    params: undefined;
    query: { days?: number; bucket?: ("hour" | "day"); timeZone?: string };
    body: undefined;
    answer: Overview;
  };
  /** How the agents of this workspace are doing */
  'GET /v1/overview/agents': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string; state?: ("enabled" | "paused") };
    body: undefined;
    answer: {
      items: Array<AgentInUse>;
      nextCursor?: string;
    };
  };
  /** How many decisions wait */
  'GET /v1/overview/waiting': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Waiting;
  };
  /** What everything in this workspace is called */
  'GET /v1/names': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Names;
  };
  /** The tools of this workspace */
  'GET /v1/tools': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string };
    body: undefined;
    answer: {
      items: Array<Tool>;
      nextCursor?: string;
    };
  };
  /** Make a tool of steps */
  'POST /v1/tools': {
    params: undefined;
    query: undefined;
    body: NewTool;
    answer: Tool;
  };
  /** Look for mistakes in a tool without saving it */
  'POST /v1/tools/check': {
    params: undefined;
    query: undefined;
    body: NewTool;
    answer: undefined;
  };
  /** One tool */
  'GET /v1/tools/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Tool;
  };
  /** Change a tool */
  'PATCH /v1/tools/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      name?: string;
      description?: string;
      inputs?: Array<ToolInput>;
      steps?: Array<ToolStep>;
      /** Default: what the last step answered. */
      output?: unknown;
      /** The version that this change is of. Refused with 409 and the present one if it is another. */
      version?: number;
    };
    answer: Tool;
  };
  /** Delete a tool */
  'DELETE /v1/tools/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** The agents that use a tool */
  'GET /v1/tools/{id}/agents': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: ToolUsers;
  };
  /** Run a tool */
  'POST /v1/tools/{id}/run': {
    params: { id: string };
    query: undefined;
    body: {
      input?: Record<string, unknown>;
      /** For this end user of an embedding platform: accounts of all others do not exist then. */
      endUserId?: string;
      permission?: Permission;
      dryRun?: boolean;
    };
    answer: ((ToolResult | ToolDryRun) | (WaitingRun | WaitingCall));
  };
  /** The agents of this workspace */
  'GET /v1/agents': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string; state?: ("enabled" | "paused") };
    body: undefined;
    answer: {
      items: Array<Agent>;
      nextCursor?: string;
    };
  };
  /** Make an agent */
  'POST /v1/agents': {
    params: undefined;
    query: undefined;
    body: NewAgent;
    answer: SavedAgent;
  };
  /** One agent */
  'GET /v1/agents/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Agent;
  };
  /** Change, pause or enable an agent */
  'PATCH /v1/agents/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      name?: string;
      instructions?: string;
      /** How many of its runs are carried out at once; null for as many as there are. */
      concurrency?: (number | null);
      tools?: Array<AgentTool>;
      runner?: (ToolRunner | ModelRunner | WebhookRunner);
      state?: ("enabled" | "paused");
      /** The version that this change is of. Refused with 409 and the present one if it is another. */
      version?: number;
    };
    answer: SavedAgent;
  };
  /** Delete an agent */
  'DELETE /v1/agents/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get a new secret for an agent on another platform */
  'POST /v1/agents/{id}/rotate': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: SavedAgent;
  };
  /** Start an agent by hand */
  'POST /v1/agents/{id}/runs': {
    params: { id: string };
    query: undefined;
    body: {
      input?: Record<string, unknown>;
      /** For this end user of an embedding platform: accounts of all others do not exist then. */
      endUserId?: string;
    };
    answer: StartedRun;
  };
  /** The triggers of this workspace */
  'GET /v1/triggers': {
    params: undefined;
    query: { limit?: number; cursor?: string; agentId?: string; accountId?: string; endUserId?: string; state?: ("enabled" | "paused" | "broken") };
    body: undefined;
    answer: {
      items: Array<Trigger>;
      nextCursor?: string;
    };
  };
  /** Start an agent from what happens at an account */
  'POST /v1/triggers': {
    params: undefined;
    query: undefined;
    body: {
      agentId: string;
      type: string;
      /** An account, by its id, its exact name or its address. */
      accountId: string;
      config?: Record<string, unknown>;
      name?: string;
    };
    answer: Trigger;
  };
  /** Try a configuration on recent history */
  'POST /v1/triggers/preview': {
    params: undefined;
    query: undefined;
    body: {
      agentId?: string;
      type: string;
      /** An account, by its id, its exact name or its address. */
      accountId: string;
      config?: Record<string, unknown>;
      name?: string;
      /** Of which trigger this is a change: where something chosen is gone, the refusal names it as it was called there. */
      triggerId?: string;
      /** How many recent occurrences. With 0 the configuration is checked, and the service is asked nothing. */
      limit?: number;
    };
    answer: Preview;
  };
  /** One trigger */
  'GET /v1/triggers/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Trigger;
  };
  /** Change, pause or resume a trigger */
  'PATCH /v1/triggers/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      name?: string;
      config?: Record<string, unknown>;
      state?: ("enabled" | "paused");
      /** With `state: enabled`: what was skipped during the pause starts the agent now. Refused (409) where the trigger is not paused. */
      catchUp?: boolean;
      /** The version that this change is of. Refused with 409 and the present one if it is another. */
      version?: number;
    };
    answer: Trigger;
  };
  /** Delete a trigger */
  'DELETE /v1/triggers/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Start the agent with a sample event */
  'POST /v1/triggers/{id}/test': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: EventSummary;
  };
  /** Why it does, or does not, fire */
  'GET /v1/triggers/{id}/diagnosis': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Diagnosis;
  };
  /** What happened, and what became of it */
  'GET /v1/events': {
    params: undefined;
    query: { limit?: number; cursor?: string; from?: string; to?: string; triggerId?: string; endUserId?: string; outcome?: ("fired" | "filtered" | "skipped" | "failed"); retry?: ("retrying" | "dead"); upstreamId?: string; query?: string };
    body: undefined;
    answer: {
      items: Array<EventSummary>;
      nextCursor?: string;
    };
  };
  /** One event with what the agent was told */
  'GET /v1/events/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: Event;
  };
  /** Start the agent again from a stored event */
  'POST /v1/events/{id}/replay': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: EventSummary;
  };
  /** What waits for a person, or waited */
  'GET /v1/approvals': {
    params: undefined;
    query: { limit?: number; cursor?: string; query?: string; status?: ApprovalStatus; agentId?: string; accountId?: string; endUserId?: string; order?: ("newest" | "expiring") };
    body: undefined;
    answer: {
      items: Array<ApprovalSummary>;
      nextCursor?: string;
    };
  };
  /** Exactly what would be sent */
  'GET /v1/approvals/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: (Approval | ApprovalStanding);
  };
  /** The content of what would be sent along */
  'GET /v1/approvals/{id}/attachments/{place}': {
    params: { id: string; place: number };
    query: undefined;
    body: undefined;
    answer: Blob;
  };
  /** Let it be sent */
  'POST /v1/approvals/{id}/approve': {
    params: { id: string };
    query: undefined;
    body: {
      digest: string;
    };
    answer: Approval;
  };
  /** Refuse it */
  'POST /v1/approvals/{id}/reject': {
    params: { id: string };
    query: undefined;
    body: {
      reason?: string;
    };
    answer: Approval;
  };
  /** Change what would be sent */
  'POST /v1/approvals/{id}/edit': {
    params: { id: string };
    query: undefined;
    body: {
      /** Fields of the input, such as subject, body, to, cc or bcc. */
      changes: Record<string, unknown>;
      /** Of what was shown to whoever edits it. If somebody has changed it since, nothing is (409). */
      digest?: string;
    };
    answer: Approval;
  };
  /** The webhooks of this workspace */
  'GET /v1/webhooks': {
    params: undefined;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<Webhook>;
      nextCursor?: string;
    };
  };
  /** Have an address told what happens */
  'POST /v1/webhooks': {
    params: undefined;
    query: undefined;
    body: {
      url: string;
      /** What it is told. */
      events: Array<("run.finished" | "approval.requested" | "account.needs_reconnect" | "trigger.broken" | "event.fired")>;
      description?: string;
    };
    answer: WebhookWithSecret;
  };
  /** One webhook with its latest deliveries */
  'GET /v1/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDetail;
  };
  /** Change, pause or resume a webhook */
  'PATCH /v1/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: {
      url?: string;
      /** What it is told. */
      events?: Array<("run.finished" | "approval.requested" | "account.needs_reconnect" | "trigger.broken" | "event.fired")>;
      description?: string;
      /** Resumed, it takes what waited when it was paused. */
      state?: ("enabled" | "paused");
    };
    answer: Webhook;
  };
  /** Delete a webhook with its deliveries */
  'DELETE /v1/webhooks/{id}': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give a webhook a new secret */
  'POST /v1/webhooks/{id}/rotate': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: WebhookWithSecret;
  };
  /** Send a webhook.test */
  'POST /v1/webhooks/{id}/test': {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDelivery;
  };
  /** What was sent to a webhook and what it answered */
  'GET /v1/webhooks/{id}/deliveries': {
    params: { id: string };
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: {
      items: Array<WebhookDelivery>;
      nextCursor?: string;
    };
  };
  /** Send the same message once more */
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend': {
    params: { id: string; deliveryId: string };
    query: undefined;
    body: undefined;
    answer: WebhookDelivery;
  };
  /** Whether the sandbox stands in for the services, and where */
  'GET /v1/sandbox': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Sandbox;
  };
  /** What goes wrong at the sandbox on purpose */
  'GET /v1/sandbox/faults': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      items: Array<SandboxFault>;
    };
  };
  /** Let something go wrong at the sandbox, or end it */
  'POST /v1/sandbox/faults': {
    params: undefined;
    query: undefined;
    body: {
      service: ("mail" | "board");
      /** `none` ends every fault of the service. */
      fault: ("fails_once" | "refuses_once" | "answer_lost_once" | "notifications_lost" | "notifications_doubled" | "tokens_expire" | "none");
    };
    answer: {
      items: Array<SandboxFault>;
    };
  };
  /** Let a mail arrive in a sandbox mailbox */
  'POST /v1/sandbox/mail': {
    params: undefined;
    query: undefined;
    body: {
      /** A person of the sandbox. */
      to: string;
    };
    answer: SandboxMail;
  };
  /** What left the sandbox mailboxes lately */
  'GET /v1/sandbox/outbox': {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      items: Array<SentMail>;
    };
  };
};
