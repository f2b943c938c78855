import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bootstrapKey, workbench } from '#test';

const require = createRequire(import.meta.url);
const suite = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

/** The suite knows no API keys: this hands on what it sends, with one. */
const withKey = async (origin: string) => {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    const authorization = `Bearer ${bootstrapKey}`;
    const onward = request(new URL(url, origin), { method, headers: { ...headers, authorization } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, stop };
};

/** What the suite says of a revision; it ends with 0 where nothing failed but what the list names. */
const judge = (url: string, revision: string): Promise<{ code: unknown; said: string }> =>
  new Promise((resolve) => {
    const expected = path.join(import.meta.dirname, `conformance.${revision}.yaml`);
    const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', expected];
    execFile(process.execPath, [suite, ...args], { maxBuffer: 100_000_000 }, (error, said) =>
      resolve({ code: error?.code ?? 0, said }),
    );
  });

test("the protocol's own conformance suite finds nothing wrong with what is offered", async () => {
  await using bench = await workbench();
  const { url, stop } = await withKey(bench.origin);

  const verdicts = await Promise.all(['2026-07-28', '2025-11-25'].map((revision) => judge(url, revision)));

  stop();
  for (const { code, said } of verdicts) expect([code, said.slice(-3_000)]).toEqual([0, expect.any(String)]);
  for (const { said } of verdicts) expect(said).toMatch(/✓ tools-list: [1-9]/);
});
