import { type AccountId, accountId } from '@pinfold/core';

/** The account of the first key, of the welcome site, and of what an operator publishes by the command. */
export const DEFAULT_ACCOUNT: AccountId = accountId('default');
