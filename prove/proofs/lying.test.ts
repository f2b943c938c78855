import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { lying } from './lying.ts';

provesInShort('whatever a service answers is told in words that help, and nothing is done twice for it', lying, tiny);
