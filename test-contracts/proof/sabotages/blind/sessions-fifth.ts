import type { SessionStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { begunFifth } from './sessions-fifth-begun.ts';
import { endedFifth, purgedFifth } from './sessions-fifth-ended.ts';
import { foundFifth } from './sessions-fifth-found.ts';
import { listedFifth } from './sessions-fifth-listed.ts';
import { redeemedFifth } from './sessions-fifth-redeemed.ts';

/** Sixty ways of sessions, written from the sentences of the port alone, in a fifth round. */
export const fifthSessionSabotages: Sabotages<SessionStore> = {
  ...begunFifth,
  ...foundFifth,
  ...listedFifth,
  ...redeemedFifth,
  ...endedFifth,
  ...purgedFifth,
};
