import { provesInShort } from '../harness/short-form.ts';
import { decisions } from './decisions.ts';

provesInShort('whoever decides at the same moment as another, one decision holds and has one effect', decisions);
