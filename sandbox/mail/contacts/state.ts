/** Plain data: no classes, so that a snapshot is one structuredClone. */
export type ContactsState = { kind: 'contacts' };

export const emptyContacts = (): ContactsState => ({ kind: 'contacts' });
