import type { AnyTable } from '../table.ts';
import {
  ACCOUNTS,
  API_KEYS,
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  ERASURES,
  PAIRINGS,
  SESSION_REFUSALS,
  SESSIONS,
  SIGN_IN_LINKS,
} from './account-tables.ts';
import { IDEMPOTENCY_KEYS, MANIFESTS, NAMES, ROLES, TAKEDOWNS, VIEWS } from './role-tables.ts';
import {
  COMPARISONS,
  EVENTS,
  FEED_BEGINS,
  FEEDS,
  MODES,
  SCHEDULED_EXPORTS,
  UNFINISHED_IMPORTS,
} from './service-tables.ts';
/** Every table of Pinfold. Imported one by one: a bundler keeps all names of a module that is imported as a namespace. */
export const TABLES: readonly AnyTable[] = [
  ACCOUNTS,
  API_KEYS,
  SESSIONS,
  SIGN_IN_LINKS,
  SESSION_REFUSALS,
  PAIRINGS,
  ATTEMPT_WINDOWS,
  ATTEMPTS,
  ERASURES,
  ROLES,
  MANIFESTS,
  IDEMPOTENCY_KEYS,
  NAMES,
  TAKEDOWNS,
  VIEWS,
  COMPARISONS,
  EVENTS,
  FEED_BEGINS,
  FEEDS,
  MODES,
  UNFINISHED_IMPORTS,
  SCHEDULED_EXPORTS,
];
