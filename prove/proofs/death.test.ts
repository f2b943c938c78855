import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { death } from './death.ts';

provesInShort('access that is taken away is tried once, and what happened meanwhile is caught up once', death, tiny);
