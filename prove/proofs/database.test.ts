import { tiny } from '../harness/row.ts';
import { provesInShort } from '../harness/short-form.ts';
import { database } from './database.ts';

provesInShort('nothing that was taken is lost when PostgreSQL is stopped and killed', database, tiny);
