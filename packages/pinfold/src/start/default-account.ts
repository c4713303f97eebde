import { type AccountId, accountId } from '@pinfold/core';

/** The account of the first key and the welcome site, and the default account of commands. */
export const DEFAULT_ACCOUNT: AccountId = accountId('default');
