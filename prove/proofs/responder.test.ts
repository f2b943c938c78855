import { provesInShort } from '../harness/short-form.ts';
import { responder } from './responder.ts';

provesInShort(
  'a responder whose process is killed after the approval, and around each effect, does each once',
  responder,
);
