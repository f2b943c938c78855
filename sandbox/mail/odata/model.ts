/**
 * What OData needs to know of each resource: its property names in canonical case, and of what type each one is.
 * A type in brackets is a collection; a leading `>` marks a navigation property, returned only when expanded.
 * `wall` is the dateTime string of a dateTimeTimeZone: compared as a time, written in quotes.
 */
type Shape = ReadonlyMap<string, Property>;
export type Property = { name: string; type: string; collection: boolean; navigation: boolean };

const define = (names: Record<string, string>): Shape => {
  const shape = new Map<string, Property>();
  for (const [notation, list] of Object.entries(names)) {
    const navigation = notation.startsWith('>');
    const bare = navigation ? notation.slice(1) : notation;
    const collection = bare.startsWith('[');
    const type = collection ? bare.slice(1, -1) : bare;
    for (const name of list.split(/\s+/)) shape.set(name.toLowerCase(), { name, type, collection, navigation });
  }
  return shape;
};

const item = { id: 'id', string: 'changeKey', date: 'createdDateTime lastModifiedDateTime', '[string]': 'categories' };
const legacy = {
  '>[extension]': 'extensions',
  '>[multiValueLegacyExtendedProperty]': 'multiValueExtendedProperties',
  '>[singleValueLegacyExtendedProperty]': 'singleValueExtendedProperties',
};
const attachment = {
  id: 'id',
  string: 'contentType name',
  boolean: 'isInline',
  date: 'lastModifiedDateTime',
  number: 'size',
};
const message = {
  ...item,
  ...legacy,
  id: 'id conversationId parentFolderId',
  string: 'changeKey bodyPreview conversationIndex internetMessageId subject webLink',
  date: `${item.date} receivedDateTime sentDateTime`,
  boolean: 'hasAttachments isDeliveryReceiptRequested isDraft isRead isReadReceiptRequested',
  itemBody: 'body uniqueBody',
  recipient: 'from sender',
  followupFlag: 'flag',
  importance: 'importance',
  inferenceClassificationType: 'inferenceClassification',
  '[recipient]': 'bccRecipients ccRecipients replyTo toRecipients',
  '[internetMessageHeader]': 'internetMessageHeaders',
  '>[attachment]': 'attachments',
};
const eventMessage = {
  ...message,
  boolean: `${message.boolean} isAllDay isDelegated isOutOfDate allowNewTimeProposals responseRequested`,
  dateTimeTimeZone: 'startDateTime endDateTime previousStartDateTime previousEndDateTime',
  location: 'location previousLocation',
  string: `${message.string} meetingMessageType meetingRequestType`,
  eventType: 'type',
  responseType: 'responseType',
  patternedRecurrence: 'recurrence',
  timeSlot: 'proposedNewTime',
  '>event': 'event',
};

const shapes: Record<string, Shape> = {
  message: define(message),
  eventMessage: define(eventMessage),
  eventMessageRequest: define(eventMessage),
  eventMessageResponse: define(eventMessage),
  event: define({
    ...item,
    ...legacy,
    id: 'id seriesMasterId iCalUId transactionId',
    string: 'changeKey bodyPreview onlineMeetingUrl originalEndTimeZone originalStartTimeZone subject webLink',
    date: `${item.date} originalStart`,
    boolean:
      'allowNewTimeProposals hasAttachments hideAttendees isAllDay isCancelled isDraft isOnlineMeeting isOrganizer isReminderOn responseRequested',
    number: 'reminderMinutesBeforeStart',
    itemBody: 'body',
    dateTimeTimeZone: 'start end',
    importance: 'importance',
    location: 'location',
    '[location]': 'locations',
    '[attendee]': 'attendees',
    '[string]': 'categories cancelledOccurrences',
    onlineMeetingInfo: 'onlineMeeting',
    onlineMeetingProviderType: 'onlineMeetingProvider',
    recipient: 'organizer',
    patternedRecurrence: 'recurrence',
    responseStatus: 'responseStatus',
    sensitivity: 'sensitivity',
    freeBusyStatus: 'showAs',
    eventType: 'type',
    '>[attachment]': 'attachments',
    '>calendar': 'calendar',
    '>[event]': 'exceptionOccurrences instances',
  }),
  calendar: define({
    ...legacy,
    id: 'id',
    string: 'changeKey hexColor name',
    boolean: 'canEdit canShare canViewPrivateItems isDefaultCalendar isRemovable isTallyingResponses',
    calendarColor: 'color',
    onlineMeetingProviderType: 'defaultOnlineMeetingProvider',
    '[onlineMeetingProviderType]': 'allowedOnlineMeetingProviders',
    emailAddress: 'owner',
    '>[calendarPermission]': 'calendarPermissions',
    '>[event]': 'calendarView events',
  }),
  contact: define({
    ...item,
    ...legacy,
    id: 'id parentFolderId',
    string:
      'changeKey assistantName businessHomePage companyName department displayName fileAs generation givenName initials jobTitle manager middleName mobilePhone nickName officeLocation personalNotes profession spouseName surname title yomiCompanyName yomiGivenName yomiSurname',
    date: `${item.date} birthday`,
    physicalAddress: 'businessAddress homeAddress otherAddress',
    '[string]': 'categories businessPhones children homePhones imAddresses',
    '[emailAddress]': 'emailAddresses',
    emailAddress: 'primaryEmailAddress secondaryEmailAddress tertiaryEmailAddress',
    '>profilePhoto': 'photo',
  }),
  contactFolder: define({
    ...legacy,
    id: 'id parentFolderId',
    string: 'displayName',
    '>[contactFolder]': 'childFolders',
    '>[contact]': 'contacts',
  }),
  mailFolder: define({
    ...legacy,
    id: 'id parentFolderId',
    string: 'displayName',
    boolean: 'isHidden',
    number: 'childFolderCount totalItemCount unreadItemCount sizeInBytes',
    '>[mailFolder]': 'childFolders',
    '>[messageRule]': 'messageRules',
    '>[message]': 'messages',
  }),
  attachment: define(attachment),
  fileAttachment: define({ ...attachment, string: `${attachment.string} contentBytes contentId contentLocation` }),
  itemAttachment: define({ ...attachment, '>outlookItem': 'item' }),
  referenceAttachment: define(attachment),
  outlookCategory: define({ id: 'id', string: 'displayName', categoryColor: 'color' }),
  messageRule: define({
    id: 'id',
    string: 'displayName',
    boolean: 'hasError isEnabled isReadOnly',
    number: 'sequence',
    messageRuleActions: 'actions',
    messageRulePredicates: 'conditions exceptions',
  }),
  subscription: define({
    id: 'id applicationId creatorId',
    string:
      'changeType clientState encryptionCertificate encryptionCertificateId latestSupportedTlsVersion lifecycleNotificationUrl notificationQueryOptions notificationUrl notificationUrlAppId resource',
    date: 'expirationDateTime',
    boolean: 'includeResourceData',
  }),
  user: define({
    id: 'id',
    string:
      'companyName creationType department displayName givenName jobTitle mail mailNickname mobilePhone officeLocation preferredLanguage surname userPrincipalName userType',
    date: 'createdDateTime',
    boolean: 'accountEnabled',
    '[string]': 'businessPhones imAddresses otherMails proxyAddresses',
    mailboxSettings: 'mailboxSettings',
  }),
  person: define({
    id: 'id',
    string:
      'birthday companyName department displayName givenName imAddress jobTitle officeLocation personNotes profession surname userPrincipalName yomiCompany',
    boolean: 'isFavorite',
    personType: 'personType',
    '[phone]': 'phones',
    '[location]': 'postalAddresses',
    '[scoredEmailAddress]': 'scoredEmailAddresses',
    '[website]': 'websites',
  }),
  callTranscript: define({
    id: 'id callId meetingId contentCorrelationId',
    string: 'content metadataContent transcriptContentUrl',
    date: 'createdDateTime endDateTime',
    identitySet: 'meetingOrganizer',
  }),
  recipient: define({ emailAddress: 'emailAddress' }),
  attendee: define({
    emailAddress: 'emailAddress',
    attendeeType: 'type',
    responseStatus: 'status',
    timeSlot: 'proposedNewTime',
  }),
  emailAddress: define({ string: 'address name' }),
  itemBody: define({ string: 'content', bodyType: 'contentType' }),
  followupFlag: define({
    followupFlagStatus: 'flagStatus',
    dateTimeTimeZone: 'completedDateTime dueDateTime startDateTime',
  }),
  dateTimeTimeZone: define({ wall: 'dateTime', string: 'timeZone' }),
  timeSlot: define({ dateTimeTimeZone: 'start end' }),
  internetMessageHeader: define({ string: 'name value' }),
  location: define({
    string: 'displayName locationEmailAddress locationUri uniqueId locationType uniqueIdType',
    physicalAddress: 'address',
  }),
  physicalAddress: define({ string: 'city countryOrRegion postalCode state street' }),
  responseStatus: define({ responseType: 'response', date: 'time' }),
  onlineMeetingInfo: define({ string: 'conferenceId joinUrl quickDial tollNumber', '[string]': 'tollFreeNumbers' }),
  scoredEmailAddress: define({ string: 'address', number: 'relevanceScore' }),
  singleValueLegacyExtendedProperty: define({ string: 'id value' }),
  multiValueLegacyExtendedProperty: define({ string: 'id', '[string]': 'value' }),
  extension: define({ string: 'id extensionName' }),
};

const enums: Record<string, string> = {
  importance: 'low normal high',
  inferenceClassificationType: 'focused other',
  followupFlagStatus: 'notFlagged complete flagged',
  bodyType: 'text html',
  sensitivity: 'normal personal private confidential',
  freeBusyStatus: 'unknown free tentative busy oof workingElsewhere',
  eventType: 'singleInstance occurrence exception seriesMaster',
  attendeeType: 'required optional resource',
  responseType: 'none organizer tentativelyAccepted accepted declined notResponded',
  onlineMeetingProviderType: 'unknown skypeForBusiness skypeForConsumer teamsForBusiness',
  calendarColor:
    'auto lightBlue lightGreen lightOrange lightGray lightYellow lightTeal lightPink lightBrown lightRed maxColor',
};
const enumValues = new Map(Object.entries(enums).map(([type, list]) => [type, list.toLowerCase().split(' ')]));

export const isEnum = (type: string): boolean => enumValues.has(type);
export const isEnumValue = (type: string, value: string): boolean =>
  enumValues.get(type)?.includes(value.toLowerCase()) ?? false;

export const propertyOf = (type: string, name: string): Property | undefined => shapes[type]?.get(name.toLowerCase());

/** `microsoft.graph.eventMessage` written in any case, as the name of a type known here. */
export const castTarget = (segment: string): string | undefined => {
  const bare = /^#?microsoft\.graph\.(\w+)$/i.exec(segment)?.[1]?.toLowerCase();
  return bare === undefined ? undefined : Object.keys(shapes).find((name) => name.toLowerCase() === bare);
};
