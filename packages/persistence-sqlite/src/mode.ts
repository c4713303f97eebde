import type { AccountId, Authority, Mode, Unchangeable } from '@pinfold/core';
import { NORMAL, refuseChange } from '@pinfold/core/adapter';
import { findAccount } from './accounts.ts';
import type { Prepare } from './sqlite-file.ts';

const FIND = 'SELECT kind, message FROM service_mode WHERE one = 1';

/** The mode as the transaction sees it. */
export function findMode(prepare: Prepare): Mode {
  return prepare<Mode>(FIND).get() ?? NORMAL;
}

/** Why a change of what is an account's is refused, if it is. */
export function refused(
  prepare: Prepare,
  name: AccountId,
  authority: Authority = 'account',
): Unchangeable | undefined {
  return authority === 'operator' ? undefined : refuseChange(findAccount(prepare, name), findMode(prepare));
}
