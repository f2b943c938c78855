import { provesInShort } from '../harness/short-form.ts';
import { rotation } from './rotation.ts';

provesInShort('rotating keys under load fails no call', rotation);
