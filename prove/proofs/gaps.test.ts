import { provesInShort } from '../harness/short-form.ts';
import { gaps } from './gaps.ts';

provesInShort('what no notification told starts its agent once', gaps);
