import type { SessionStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { sabotagesOfSessionEnds } from './sessions-third-ends.ts';
import { sabotagesOfSessionLists } from './sessions-third-lists.ts';
import { sabotagesOfSessionStarts } from './sessions-third-starts.ts';

/** Sixty ways, from the sentences of the port alone: a third round. */
export const thirdSessionSabotages: Sabotages<SessionStore> = {
  ...sabotagesOfSessionStarts,
  ...sabotagesOfSessionLists,
  ...sabotagesOfSessionEnds,
};
