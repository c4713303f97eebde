import type { Branded } from './brand.ts';
import { type AccountId, accountId } from './identity.ts';

/** The operator of the service, who reads and changes what belongs to any account. Copies of this package share it. */
export const OPERATOR: Branded<symbol, 'Operator'> = Symbol.for('@pinfold/core/operator') as never;

/** The party that reads or changes something: an account reaches its own roles, the operator all. */
export type Actor = AccountId | typeof OPERATOR;

/** The authority of a change: an account's is subject to its block and to the service's mode, the operator's is not. */
export type Authority = 'account' | 'operator';

/** The authority of a saved role; `viewing` is an account's that only opens its site, subject to its block only. */
export type SaveAuthority = Authority | 'viewing';

/**
 * The only account whose things an actor reaches; `undefined` for the operator.
 *
 * @throws TypeError when it is neither an account nor {@link OPERATOR}: an actor is never the operator by omission.
 */
export function boundTo(by: Actor | string): AccountId | undefined {
  if (typeof by === 'string') return accountId(by);
  if (by === OPERATOR) return undefined;
  throw new TypeError('say who asks: an account or OPERATOR');
}

/** @throws TypeError as {@link boundTo} does. */
export function reachOf(by: Actor | string): (thing: { readonly account: AccountId }) => boolean {
  const own = boundTo(by);
  return ({ account }) => own === undefined || account === own;
}

export interface ListScope {
  /** An account lists its own; OPERATOR lists all. */
  readonly by: Actor | string;
  /** Only this account's, for the operator. */
  readonly account?: string;
}

/** The only account whose things are listed; `undefined` for all. */
export function listedAccount({ by, account }: ListScope): AccountId | undefined {
  return boundTo(by) ?? (account === undefined ? undefined : accountId(account));
}
