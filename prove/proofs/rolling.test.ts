import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { rolling } from './rolling.ts';

provesInShort('processes that are renewed one after the other fail no request and lose no event', rolling, tiny);
