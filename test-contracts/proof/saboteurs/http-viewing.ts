import { type HttpService, type HttpSubject, httpViewingContract } from '@pinfold/test-contracts';
import { grantSaboteurs, passwordSaboteurs } from './http-viewing/entering.ts';
import { pathModeSaboteurs } from './http-viewing/path-mode.ts';
import { openService } from './http-viewing/service.ts';
import { siblingSaboteurs } from './http-viewing/siblings.ts';
import { fileSaboteurs, sharedUrlSaboteurs } from './http-viewing/visiting.ts';
import type { Sabotage } from './sabotage.ts';

/** The harness is that of the API's contract. */
const contract = { ...httpViewingContract, harness: [] };

/** Every promise to viewers, in origin mode. */
export const httpViewingSabotage: Sabotage<HttpService, HttpSubject> = {
  contract,
  sound: () => () => openService('origin'),
  saboteurs: [
    ...sharedUrlSaboteurs,
    ...passwordSaboteurs,
    ...grantSaboteurs,
    ...fileSaboteurs,
    ...siblingSaboteurs,
  ],
};

const otherwise = new Set(pathModeSaboteurs.map(({ breaks }) => breaks));

/** The promises that are kept in another way in path mode. */
export const httpPathViewingSabotage: Sabotage<HttpService, HttpSubject> = {
  contract: {
    ...contract,
    port: 'HttpViewing, in path mode',
    clauses: contract.clauses.filter(({ id }) => otherwise.has(id)),
  },
  sound: () => () => openService('path'),
  saboteurs: pathModeSaboteurs,
};
