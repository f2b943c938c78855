import { expect, test } from 'vitest';
import { findAdvisories, readAudit } from './advisories.ts';
import { run } from './run-tool.ts';

/* Answers of npm's own client, as it gave them; addresses are replaced. */

const asked = 'POST https://packages.example/-/npm/v1/security/advisories/bulk';
const advisory = (severity: string) => ({
  source: 1,
  name: 'hono',
  dependency: 'hono',
  title: 'A header is believed',
  url: 'https://advisories.example/1',
  severity,
  cwe: [],
  cvss: { score: 8, vectorString: null },
  range: '<99.0.0',
});
const report = (vulnerabilities: object) => ({
  auditReportVersion: 2,
  vulnerabilities,
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 },
    dependencies: { prod: 160, dev: 407, optional: 163, peer: 0, peerOptional: 0, total: 571 },
  },
});
const hit = (severity: string) => ({
  '@hono/node-server': {
    name: '@hono/node-server',
    severity,
    isDirect: true,
    via: ['hono'],
    effects: [],
    range: '',
    nodes: ['node_modules/@hono/node-server'],
    fixAvailable: false,
  },
  hono: {
    name: 'hono',
    severity,
    isDirect: true,
    via: [advisory(severity)],
    effects: ['@hono/node-server'],
    range: '',
    nodes: ['node_modules/hono'],
    fixAvailable: false,
  },
});
const answered = (code: number, body: unknown) => readAudit({ code, stdout: JSON.stringify(body, null, 2) });

test('packages that nothing is known against pass, and so do lesser advisories', () => {
  expect(answered(0, report({}))).toBeUndefined();
  expect(answered(1, report(hit('moderate')))).toBeUndefined();
});

test.each(['high', 'critical'])('a %s advisory fails, told once with its package', (severity) => {
  expect(answered(1, report(hit(severity)))).toBe(
    `${severity}: hono <99.0.0: A header is believed (https://advisories.example/1)`,
  );
});

test.each([404, 405])('a registry that gives no audit (%d) is told of and fails nothing', (statusCode) => {
  const refused = { message: `${statusCode} Refused - ${asked}`, statusCode, body: '', error: { summary: '' } };
  expect(answered(1, refused)).toEqual({ note: `the registry gave no audit (it answered ${statusCode})` });
});

test.each([`request to ${asked} failed, reason: connect ECONNREFUSED 127.0.0.1:1`, `network timeout at: ${asked}`])(
  'a registry that is not reached is told of and fails nothing: %s',
  (message) => {
    const unreached = { message, error: { summary: '', detail: '' } };
    expect(answered(1, unreached)).toEqual({ note: 'the registry could not be reached' });
  },
);

test('a client that does not come back is ended, and that fails nothing', async () => {
  const endless = await run(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { withinMs: 100 });
  expect(readAudit(endless)).toEqual({ note: 'the registry did not answer within 10 s' });
});

test('where npm itself is missing nothing fails', async () => {
  expect(await findAdvisories('no-such-npm')).toEqual({ note: 'npm was not found' });
});

test('an answer that is not understood fails: it may hide anything', () => {
  expect(answered(1, { error: { code: 'ENOLOCK' } })).toContain('not understood');
  expect(readAudit({ code: 0, stdout: 'npm has a new way' })).toContain('not understood');
});
