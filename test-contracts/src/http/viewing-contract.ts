import { toClauses } from '../contract.ts';
import { httpHarness } from './api-contract.ts';
import type { HttpContract } from './subject.ts';
import { archiveClauses } from './viewing-archives.ts';
import { createdGrantClauses } from './viewing-created-grants.ts';
import { fileClauses } from './viewing-files.ts';
import { grantClauses } from './viewing-grants.ts';
import { viewingNameClauses } from './viewing-names.ts';
import { passwordClauses } from './viewing-password.ts';
import { sharedUrlClauses } from './viewing-shared-url.ts';
import { siblingClauses } from './viewing-siblings.ts';

/** The promises to viewers (packages/viewer/README.md#what-it-answers), for a service with an API for publishing. */
export const httpViewingContract: HttpContract = {
  port: 'HttpViewing',
  harness: httpHarness,
  clauses: toClauses({
    ...sharedUrlClauses,
    ...viewingNameClauses,
    ...passwordClauses,
    ...grantClauses,
    ...createdGrantClauses,
    ...archiveClauses,
    ...fileClauses,
    ...siblingClauses,
  }),
};
