import { type HttpService, type HttpSubject, httpApiContract } from '@pinfold/test-contracts';
import { openApi } from './http-api/answers.ts';
import { generalSaboteurs, harnessSaboteurs } from './http-api/general.ts';
import { idempotencySaboteurs, publishingSaboteurs } from './http-api/publishing.ts';
import { changingSaboteurs, readingSaboteurs } from './http-api/roles.ts';
import type { Sabotage } from './sabotage.ts';

/** Every promise of the API. */
export const httpApiSabotage: Sabotage<HttpService, HttpSubject> = {
  contract: httpApiContract,
  sound: () => () => openApi(),
  saboteurs: [
    ...harnessSaboteurs,
    ...publishingSaboteurs,
    ...idempotencySaboteurs,
    ...readingSaboteurs,
    ...changingSaboteurs,
    ...generalSaboteurs,
  ],
};
