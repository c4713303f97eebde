import type { AccountId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { CommandFailure } from '../command-line/failures.ts';

/** Throws if the account is being erased; `consequence` names what is not done for it. */
export async function checkNotErasing(
  administration: Pick<Administration, 'showAccount'>,
  account: AccountId,
  consequence: string,
): Promise<void> {
  const found = await administration.showAccount(account);
  if (found?.account.blocked?.isErasing !== true) return;
  throw new CommandFailure(`the account is being erased: ${consequence}`, 'invalid_state');
}
