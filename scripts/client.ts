import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readDocument } from './client/document.ts';
import { moduleOf } from './client/types-of.ts';

const file = path.resolve(import.meta.dirname, '../client/src/generated/routes.ts');
writeFileSync(file, moduleOf(readDocument()));
process.stdout.write('client/src/generated/routes.ts is as the API is.\n');
