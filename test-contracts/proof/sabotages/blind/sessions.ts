import type { SessionStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { begunSessionSabotages } from './sessions-begun.ts';
import { foundSessionSabotages } from './sessions-found.ts';
import { purgedSessionSabotages } from './sessions-purged.ts';

/** Written from the sentences of the port alone, by someone who had not read the suite. */
export const blindSessionSabotages: Sabotages<SessionStore> = {
  ...begunSessionSabotages,
  ...foundSessionSabotages,
  ...purgedSessionSabotages,
};
