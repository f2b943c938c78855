import { afterAll } from 'vitest';
import { endFile } from './endings.ts';

afterAll(endFile);

// Processes that tests start do well to keep what they compiled.
delete process.env['NODE_DISABLE_COMPILE_CACHE'];
