import { expect, test } from 'vitest';
import { newId } from '#store';
import { freshDatabase } from '../../test/database.ts';
import { draftRun } from './run-records.ts';
import { runTrack } from './run-track.fixture.ts';

const half = 'cut\ud83d';
const answer = { output: { text: half }, warnings: [half] };
const stored = { status: 'succeeded', output: { text: 'cut\ufffd' }, warnings: ['cut\ufffd'] };
const thought = { kind: 'thought', data: { text: half } };
const thoughtStored = { kind: 'thought', data: { text: 'cut\ufffd' } };

test('a run of an agent whose answer and journal hold half a character ends, and is read like others', async () => {
  await using track = await runTrack(freshDatabase());
  const one = track.newProcess(async (_live, { note, begin }) => {
    note(thought.kind, thought.data);
    await begin();
    note(thought.kind, thought.data);
    return answer;
  });
  await one.begin([track.startOf('1', 'card 1'), track.startOf('2', 'card 1')]);
  await track.allEnded();
  for (const run of await track.rows()) {
    expect(run).toMatchObject(stored);
    expect(await one.records.journal(run)).toMatchObject([thoughtStored, thoughtStored, { kind: 'finished' }]);
  }
});

test('so does a run that is stored when it has ended', async () => {
  await using track = await runTrack(freshDatabase());
  const { records } = track.newProcess(async () => answer);
  const at = new Date();
  const { workspaceId } = track.startOf('1', null);
  const actor = { kind: 'system' as const, id: 'test', name: 'Test' };
  const now = () => at;
  const run = draftRun({ now } as Parameters<typeof draftRun>[0], { workspaceId, actor, input: {}, maySend: true });
  const entry = { at, ...thought };
  await records.complete({ ...run, id: newId('run', at) }, answer, [entry, { at, kind: 'finished', data: {} }]);
  const [row] = await track.rows();
  expect(row).toMatchObject({ ...stored, journal: [thoughtStored] });
});
