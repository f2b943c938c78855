import type { Script } from '../script.ts';
import { nonsense } from './nonsense.ts';
import { obeyEverything } from './obey-everything.ts';
import { politeResponder } from './polite-responder.ts';
import { restless } from './restless.ts';
import { silent } from './silent.ts';

/** The first is played unless another is asked for. */
export const scripts: readonly [Script, ...Script[]] = [politeResponder, obeyEverything, nonsense, silent, restless];
