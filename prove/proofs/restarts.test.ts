import { provesInShort } from '../harness/short-form.ts';
import { restarts } from './restarts.ts';

provesInShort('no acknowledged row is lost when every process is killed while writing', restarts);
