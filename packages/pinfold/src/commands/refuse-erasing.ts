import type { AccountId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { CommandFailure } from '../command-line/failures.ts';

/** Refuses to let anybody act as an account that is being erased; `so` says what it does not get. */
export async function refuseErasing(
  administration: Pick<Administration, 'showAccount'>,
  account: AccountId,
  so: string,
): Promise<void> {
  const found = await administration.showAccount(account);
  if (found?.account.blocked?.isErasing !== true) return;
  throw new CommandFailure(`the account is being erased: ${so}`, 'invalid_state');
}
