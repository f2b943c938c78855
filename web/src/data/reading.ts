import { createContext } from 'react';

/** Whether pages may read. Inside a workspace they wait a moment, until what changes there is told. */
export const Reading = createContext(true);
