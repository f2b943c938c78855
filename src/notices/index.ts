export type { PendingApproval, TellApprovers } from './approver-mail.ts';
export type { Courier } from './courier.ts';
export type { DeliveryLog, WebhookDelivery } from './delivery-log.ts';
export type { Emit, Wanted } from './emit.ts';
export { createLive, type Hint, type Live } from './live.ts';
export { type EventType, eventTypes, type Notice, type NoticeType, noticeTypes } from './notice-types.ts';
export { createNotices, type Notices } from './notices.ts';
export type { Outside } from './receiver.ts';
export type { NewWebhook, Webhook, WebhookChange, Webhooks } from './webhooks.ts';
