import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { clock } from './clock.ts';

provesInShort(
  'clocks that jump apart by days let nothing happen twice, expire early or be reminded of late',
  clock,
  tiny,
);
