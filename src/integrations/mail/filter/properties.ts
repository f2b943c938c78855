/** Every property a filter can ask about, as it is printed. */
export const properties = [
  'subject',
  'body',
  'from',
  'to',
  'cc',
  'bcc',
  'recipients',
  'participants',
  'attachment',
  'hasAttachments',
  'category',
  'importance',
  'isRead',
  'received',
  'sent',
  'size',
] as const;

export type Property = (typeof properties)[number];

const byName = new Map<string, Property>([
  ...properties.map((name): [string, Property] => [name.toLowerCase(), name]),
  // Both spellings stand in the service's documentation.
  ['hasattachment', 'hasAttachments'],
  ['attachmentnames', 'attachment'],
]);

/** A property by its name, in any letter case. */
export const propertyNamed = (name: string): Property | undefined => byName.get(name.toLowerCase());
