/** What an account must have been granted: by key and token, or by OAuth. */
export const toRead = [['read', 'read:board', 'read:board:trello']] as const;
export const toWrite = [...toRead, ['write', 'write:board', 'write:board:trello']] as const;
