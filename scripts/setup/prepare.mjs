import { ensureServerBundle, ensureWebBundle } from './bundles.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { findNode } from './node24.mjs';
import { root, SetupError, say } from './say.mjs';
import { handOver, toolEnvironment } from './spawn.mjs';

/**
 * Makes this machine ready (Node 24, packages, bundles), then runs Node with these arguments in our place.
 * Runs on any Node from 20 on and needs no package.
 */
export const prepareAndRun = async (args, { cwd } = { cwd: root }) => {
  try {
    const runtime = await findNode();
    await ensureDependencies(runtime);
    await ensureWebBundle(runtime);
    await ensureServerBundle(runtime);
    process.exitCode = await handOver(runtime.node, args, { cwd, env: toolEnvironment(runtime.node) });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
};
