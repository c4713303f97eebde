import type { AnyTable } from '../table.ts';
import {
  ACCOUNTS,
  API_KEYS,
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  PAIRINGS,
  SESSION_REFUSALS,
  SESSIONS,
  SIGN_IN_LINKS,
} from './account-tables.ts';
import { COMPARISONS, IDEMPOTENCY_KEYS, MANIFESTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from './role-tables.ts';
import { EVENTS, FEED_BEGINS, FEEDS, MODES, UNFINISHED_IMPORTS } from './service-tables.ts';

/** Every table of Pinfold. */
export const TABLES: readonly AnyTable[] = [
  ACCOUNTS,
  API_KEYS,
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  COMPARISONS,
  EVENTS,
  FEED_BEGINS,
  FEEDS,
  IDEMPOTENCY_KEYS,
  MANIFESTS,
  MODES,
  NAMES,
  PAIRINGS,
  ROLES,
  SESSION_REFUSALS,
  SESSIONS,
  SIGN_IN_LINKS,
  TAKEDOWNS,
  UNFINISHED_IMPORTS,
  VIEWS,
];
