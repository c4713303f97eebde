import type { Token } from '../ports/role-store.ts';
import type { Block } from './account.ts';
import type { AccountId } from './identity.ts';
import type { Instant } from './instant.ts';

/** Accounts whose names begin so have what stays of erased ones. No caller acts as one of them. */
const ERASED = 'erased:';

/** The account that publications of an embedding team and the first key have by default; it is never erased. */
const NEVER_ERASED = 'default';

/** Whether an account has what stays of an erased one. */
export function isErasedAccount(name: string): boolean {
  return name.startsWith(ERASED);
}

/** The account for what stays of one that is erased. Its name tells nothing of the other. */
export function erasedAccount(token: Token): AccountId {
  return `${ERASED}${token}` as AccountId;
}

/** Why an account cannot be erased. */
export function refuseErasure(name: AccountId): 'never_erased' | 'erased' | undefined {
  if (name === NEVER_ERASED) return 'never_erased';
  return isErasedAccount(name) ? 'erased' : undefined;
}

/** The block of an account from the beginning of its erasure on. */
export function erasingBlock(at: Instant): Block {
  return { reason: 'The account is being erased.', sites: 'hide', at, isErasing: true };
}

/** The block of what stays of an account. */
export function erasedBlock(at: Instant): Block {
  return { reason: 'The account was erased.', sites: 'hide', at };
}
