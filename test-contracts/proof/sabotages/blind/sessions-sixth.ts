import type { SessionStore } from '@pinfold/core';
import type { Sabotages } from '../ways.ts';
import { sixthSessionsBegun } from './sessions-sixth-begun.ts';
import { sixthSessionsEnded } from './sessions-sixth-ended.ts';
import { sixthSessionsFound } from './sessions-sixth-found.ts';
import { sixthSessionsListed } from './sessions-sixth-listed.ts';
import { sixthSessionsOffered, sixthSessionsRedeemed } from './sessions-sixth-redeemed.ts';

/** Sixty ways written from the port's sentences alone. */
export const sixthSessionSabotages: Sabotages<SessionStore> = {
  ...sixthSessionsOffered,
  ...sixthSessionsRedeemed,
  ...sixthSessionsBegun,
  ...sixthSessionsFound,
  ...sixthSessionsListed,
  ...sixthSessionsEnded,
};
