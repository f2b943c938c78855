import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { poison } from './poison.ts';

provesInShort('what cannot be read rests with its reason, and what came with it starts', poison, tiny);
