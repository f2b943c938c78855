/** A part of the product whose tests need no database. */
export type Part = {
  /** What is changed. */
  sources: readonly string[];
  /** What must notice. */
  tests: readonly string[];
  /** The folders and files that are read anew for every mutant; all others are read once. */
  fresh: readonly string[];
};

const filter = 'src/integrations/mail/filter';
const approvals = 'src/effects/approvals';
const views = 'src/integrations/mail/approval';
const board = 'src/integrations/board';

export const parts: Readonly<Record<string, Part>> = {
  filter: {
    sources: [
      ...['addresses', 'anchors', 'compile-filter', 'days', 'filter-fault', 'filter-index', 'filter-text', 'fold-text'],
      ...['folded-mail', 'hints', 'lookups', 'needs', 'parse-filter', 'print-filter', 'properties', 'read-condition'],
      ...['term-index', 'test-condition', 'tokens', 'tree'],
    ].map((name) => `${filter}/${name}.ts`),
    tests: ['parse-filter', 'details', 'matching', 'mission', 'agreement'].map((name) => `${filter}/${name}.test.ts`),
    fresh: [`${filter}/`],
  },
  effects: {
    sources: ['src/integrations/mail/effects.ts', 'src/integrations/board/effects.ts'],
    tests: ['src/integrations/mail/effects.test.ts', 'src/integrations/board/effects.test.ts'],
    fresh: ['src/integrations/mail/effects', 'src/integrations/board/effects'],
  },
  approvals: {
    sources: [
      ...['digest', 'plan', 'clearance', 'plain-view'].map((name) => `${approvals}/${name}.ts`),
      ...['answers', 'differences', 'event-view', 'message-view', 'showing', 'stored-message', 'targets'].map(
        (name) => `${views}/${name}.ts`,
      ),
    ],
    tests: [
      ...['clearance', 'plan', 'digest'].map((name) => `${approvals}/${name}.test.ts`),
      ...['differences', 'showing', 'event-view'].map((name) => `${views}/${name}.test.ts`),
    ],
    fresh: [`${approvals}/`, `${views}/`],
  },
  triggers: {
    sources: [
      ...['action-type', 'action', 'activity', 'card-archived', 'card-moved', 'card-updated', 'changes'],
      ...[
        'custom-webhook-events',
        'label-added-to-card',
        'new-attachment',
        'new-board-activity',
        'new-board',
        'new-card',
      ],
      ...['new-checklist', 'new-comment', 'new-label', 'new-member-on-card', 'payload', 'words'],
    ]
      .map((name) => `${board}/triggers/${name}.ts`)
      .concat(
        [
          'copies',
          'explaining',
          'explanations',
          'label-differences',
          'label-state',
          'occurrence',
          'own',
          'placing',
          'receive',
          'state',
        ].map((name) => `${board}/watching/${name}.ts`),
      ),
    tests: ['payloads', 'triggers']
      .map((name) => `${board}/triggers/${name}.test.ts`)
      .concat(['own', 'receive', 'state'].map((name) => `${board}/watching/${name}.test.ts`)),
    fresh: [`${board}/`],
  },
  sealing: {
    sources: ['src/store/sealing.ts', 'src/store/key-ring.ts'],
    tests: ['src/store/sealing.test.ts'],
    fresh: ['src/store/sealing', 'src/store/key-ring'],
  },
};
