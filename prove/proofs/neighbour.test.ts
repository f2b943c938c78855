import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { neighbour } from './neighbour.ts';

provesInShort(
  'a workspace whose services hang, or that floods, holds up no call and no event of another',
  neighbour,
  tiny,
);
