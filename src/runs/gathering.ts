import { createHash } from 'node:crypto';
import type { CallRecord } from '#effects';
import { type CatalogueStep, type FileRef, type Gathering, type NewFile, wrong } from '#kit';
import type { Store } from '#store';
import { NotLoaded, type WebFiles } from '#upstream';
import { stopped } from '#workspaces';
import { type FileStore, maxFileBytes } from './files.ts';

/** How long all that one step names may take to come. */
const patienceMs = 60_000;

const unnamed =
  'Neither the tool nor what happened names this address, and loading it would tell whoever is there what stands in it. ' +
  'Give the ref of a stored file, or a text of your own, instead.';

/** A step whose input is about to be used, and for whom. */
export type Gathered = {
  step: CatalogueStep;
  input: unknown;
  workspaceId: string;
  accountId: string;
  endUserId: string | undefined;
  /** Which step of which run it is: what was gathered for that before is taken again. */
  of?: { runId: string; position: number } | undefined;
  /** Whether an address may be loaded; left out, every one may that the world can reach. */
  mayLoad?: ((address: string) => Promise<boolean>) | undefined;
  /** Waits for a run that is just being stored. */
  stored?: (() => Promise<unknown>) | undefined;
  onCall?(call: CallRecord): void;
  signal: AbortSignal;
};

export type Gather = {
  /** The input with stored files for all that was given otherwise. */
  anew(asked: Gathered): Promise<unknown>;
  /** The same as far as it was gathered before: nothing is loaded. */
  again(asked: Gathered): Promise<unknown>;
};

export const createGather = (options: { store: Store; files: FileStore; web: WebFiles }): Gather => {
  const { store, files, web } = options;

  const requireOpen = async (workspaceId: string): Promise<void> => {
    const workspace = await store
      .of(workspaceId)
      .selectFrom('workspaces')
      .select('stopped_at')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst();
    if (workspace?.stopped_at !== null) throw stopped();
  };

  /** One file for each thing that a step of a run names. */
  const placesOf = ({ workspaceId, accountId, endUserId, of }: Gathered) => {
    const whereOf = (what: readonly string[]) => {
      if (of === undefined) return undefined;
      const hash = createHash('sha256').update(JSON.stringify([of.runId, of.position, ...what]));
      return { workspaceId, accountId, gatheredFor: hash.digest('hex') };
    };
    return {
      earlier: async (what: readonly string[]): Promise<string | undefined> => {
        const where = whereOf(what);
        return where === undefined ? undefined : (await files.gathered(where))?.ref;
      },
      create: (what: readonly string[], file: { name: string; contentType: string }): NewFile => {
        const where = whereOf(what);
        return where === undefined
          ? files.of(workspaceId, { accountId, endUserId }).create(file)
          : files.gather(where, file);
      },
    };
  };

  const gatheringFor = (asked: Gathered): Gathering => {
    const { workspaceId, mayLoad, stored, onCall, signal } = asked;
    const { earlier, create } = placesOf(asked);
    let left = maxFileBytes;
    let until: number | undefined;

    const load = async (address: string): Promise<FileRef> => {
      until ??= performance.now() + patienceMs;
      const since = performance.now();
      return web.load(address, {
        create: (file) => create([address], file),
        maxBytes: left,
        patienceMs: Math.max(0, until - since),
        signal,
        onAnswer: ({ from, status }) =>
          onCall?.({ method: 'GET', path: from, effect: 'read', status, ms: Math.round(performance.now() - since) }),
      });
    };

    return {
      fromAddress: async (address, field) => {
        const before = await earlier([address]);
        if (before !== undefined) return before;
        if (mayLoad !== undefined && !(await mayLoad(address))) throw wrong(field, unnamed);
        await stored?.();
        await requireOpen(workspaceId);
        const { ref, size } = await load(address).catch((error: unknown) => {
          throw error instanceof NotLoaded ? wrong(field, error.message) : error;
        });
        left -= size;
        return ref;
      },
      fromText: async ({ text, ...file }) => {
        const what = [file.name, file.contentType, text];
        const before = await earlier(what);
        if (before !== undefined) return before;
        const made = create(what, file);
        await made.write(Buffer.from(text));
        return (await made.keep()).ref;
      },
    };
  };

  return {
    anew: async (asked) => asked.step.gather?.(asked.input, gatheringFor(asked)) ?? asked.input,
    again: async (asked) => {
      const { earlier } = placesOf(asked);
      const known: Gathering = {
        fromAddress: async (address) => (await earlier([address])) ?? address,
        fromText: async ({ name, contentType, text }) => (await earlier([name, contentType, text])) ?? name,
      };
      return asked.step.gather?.(asked.input, known) ?? asked.input;
    },
  };
};
