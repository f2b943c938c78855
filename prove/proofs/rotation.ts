import { runCommand, startProcess } from '../harness/processes.ts';
import type { Proof } from '../harness/row.ts';
import { call, connectBoard, stage } from '../harness/stage.ts';

/** Keys change while every call needs one. */
export const rotation: Proof = {
  name: 'rotation',
  about: 'rotating the encryption keys under load fails no call',
  run: async ({ scale, progress, database }) => {
    await using set = await stage({ database });
    const running = await startProcess('start', set.environment);
    try {
      set.board.limits.set({ off: true });
      const accountId = await connectBoard(running.origin, set.board);
      const rotations = Math.max(2, Math.round(10 * scale));
      let rotating = true;
      let tried = 0;
      const failures: string[] = [];
      const load = async () => {
        while (rotating) {
          const input = { method: 'GET', endpoint: `/1/boards/${set.board.launch().id}` };
          const { status, body } = await call(running.origin, 'POST', '/v1/steps/board.api_call/run', {
            accountId,
            input,
          });
          if (status === 429) await new Promise((resolve) => setTimeout(resolve, 50));
          else tried += 1;
          if (status !== 200 && status !== 429) failures.push(JSON.stringify(body));
        }
      };
      const loads = [load(), load(), load()];
      for (let n = 1; n <= rotations; n++) {
        const said = await runCommand(['keys', 'rotate'], set.environment);
        progress(`rotation ${n} of ${rotations}: ${said.trim()}`);
      }
      rotating = false;
      await Promise.all(loads);
      return {
        guarantee: `${rotations} key rotations under load`,
        tried,
        lost: failures.length,
        duplicated: 0,
        unknown: 0,
        objections: failures.slice(0, 3),
      };
    } finally {
      await running.stop();
    }
  },
};
