import { provesInShort } from '../harness/short-form.ts';
import { takeover } from './takeover.ts';

provesInShort('what a killed process held is finished by another, each effect once', takeover);
