import { board } from './board/index.ts';
import { mail } from './mail/index.ts';

/** The list. A new integration is one folder beside this file and one line here. */
export const integrations = [board, mail];
