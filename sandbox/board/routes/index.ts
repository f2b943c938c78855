import type { Api } from '../api.ts';
import type { Endpoint } from '../router.ts';
import { attachmentRoutes } from './attachments.ts';
import { batchRoute } from './batch.ts';
import { boardRoutes } from './boards.ts';
import { cardRoutes } from './cards.ts';
import { checklistRoutes } from './checklists.ts';
import { commentRoutes } from './comments.ts';
import { customFieldRoutes } from './custom-fields.ts';
import { labelRoutes } from './labels.ts';
import { listRoutes } from './lists.ts';
import { memberRoutes } from './members.ts';
import { membershipRoutes } from './memberships.ts';
import { notificationRoutes } from './notifications.ts';
import { organizationRoutes } from './organizations.ts';
import { searchRoutes } from './search.ts';
import { tokenRoutes } from './tokens.ts';

/** Every endpoint; a batch needs the API it is part of. */
export const endpoints = (api: () => Api): readonly Endpoint[] => [
  ...attachmentRoutes,
  batchRoute(api),
  ...customFieldRoutes,
  ...boardRoutes,
  ...cardRoutes,
  ...checklistRoutes,
  ...commentRoutes,
  ...labelRoutes,
  ...listRoutes,
  ...memberRoutes,
  ...membershipRoutes,
  ...notificationRoutes,
  ...organizationRoutes,
  ...searchRoutes,
  ...tokenRoutes,
];
