import type { Api } from '../api.ts';
import type { Endpoint } from '../router.ts';
import { boardRoutes } from './boards.ts';
import { cardRoutes } from './cards.ts';
import { commentRoutes } from './comments.ts';
import { labelRoutes } from './labels.ts';
import { listRoutes } from './lists.ts';
import { memberRoutes } from './members.ts';
import { notificationRoutes } from './notifications.ts';
import { tokenRoutes } from './tokens.ts';

/** Every endpoint; a batch needs the API it is part of. */
export const endpoints = (_api: () => Api): readonly Endpoint[] => [
  ...boardRoutes,
  ...cardRoutes,
  ...commentRoutes,
  ...labelRoutes,
  ...listRoutes,
  ...memberRoutes,
  ...notificationRoutes,
  ...tokenRoutes,
];
