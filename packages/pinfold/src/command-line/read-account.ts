import { type AccountId, accountId } from '@pinfold/core';
import { UsageError } from './usage-error.ts';

/** Reads the value of `--account`. */
export function readAccount(name: string): AccountId {
  try {
    return accountId(name);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
