import { provesInShort } from '../harness/short-form.ts';
import { events } from './events.ts';

provesInShort('every mail and board event starts its agent once under lost notifications and kills', events);
