#!/usr/bin/env node
// The `switchboard` command: makes the machine ready, then runs src/cli/main.ts, bundled, where the caller stands.
import path from 'node:path';
import { prepareAndRun } from './setup/prepare.mjs';
import { root } from './setup/say.mjs';

await prepareAndRun([path.join(root, 'dist/server/main.js'), ...process.argv.slice(2)], { cwd: process.cwd() });
