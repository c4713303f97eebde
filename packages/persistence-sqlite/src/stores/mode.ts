import type { AccountId, Credential, Mode, Refusal, SaveAuthority, Unchangeable } from '@pinfold/core';
import { NORMAL, refuseChange, UNAUTHORIZED } from '@pinfold/core/adapter';
import type { Prepare } from '../engine/sqlite-file.ts';
import { findAccount } from './accounts.ts';

const FIND = 'SELECT kind, message FROM service_mode WHERE one = 1';
const IS_REVOKED = 'SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NOT NULL';
const IS_SIGNED_IN = 'SELECT 1 FROM sessions WHERE token_hash = ?';

export function findMode(prepare: Prepare): Mode {
  return prepare<Mode>(FIND).get() ?? NORMAL;
}

export function refused(
  prepare: Prepare,
  name: AccountId,
  authority?: SaveAuthority,
): Unchangeable | undefined {
  return refuseChange(findAccount(prepare, name), findMode(prepare), authority);
}

export function refusedCredential(
  prepare: Prepare,
  { key = null, session = null }: Credential,
): Refusal<'unauthorized'> | undefined {
  const isRevoked = key !== null && prepare(IS_REVOKED).get(key) !== undefined;
  const hasEnded = session !== null && prepare(IS_SIGNED_IN).get(session) === undefined;
  return isRevoked || hasEnded ? UNAUTHORIZED : undefined;
}
