import { provesInShort } from '../harness/short-form.ts';
import { refresh } from './refresh.ts';

provesInShort('two processes refresh once per expiry, and a killed one loses no grant', refresh);
