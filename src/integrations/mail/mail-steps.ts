import { addLabel } from './steps/add-label.ts';
import { createDraft } from './steps/create-draft.ts';
import { findEmail } from './steps/find-email.ts';
import { forward } from './steps/forward.ts';
import { getAttachment } from './steps/get-attachment.ts';
import { getEmail } from './steps/get-email.ts';
import { listFolders } from './steps/list-folders.ts';
import { listLabels } from './steps/list-labels.ts';
import { markRead } from './steps/mark-read.ts';
import { moveEmail } from './steps/move-email.ts';
import { removeLabel } from './steps/remove-label.ts';
import { reply } from './steps/reply.ts';
import { sendDraft } from './steps/send-draft.ts';
import { sendEmail } from './steps/send-email.ts';

export const mailSteps = [
  findEmail,
  getEmail,
  getAttachment,
  listFolders,
  listLabels,
  addLabel,
  removeLabel,
  moveEmail,
  markRead,
  sendEmail,
  reply,
  forward,
  createDraft,
  sendDraft,
];
