import type { Branded } from './brand.ts';
import { type AccountId, accountId } from './identity.ts';

/** The operator of the service, who reads and changes what belongs to any account. Copies of this package share it. */
export const OPERATOR: Branded<symbol, 'Operator'> = Symbol.for('@pinfold/core/operator') as never;

/** In whose name something is read or changed: an account reaches what is its own, the operator everything. */
export type Actor = AccountId | typeof OPERATOR;

/** What a change is made with: an account's is bound by its block and by the mode of the service, the operator's is not. */
export type Authority = 'account' | 'operator';

/** What a role is saved with; `viewing` is an account's that only opens its site: its block binds it, the mode does not. */
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

/**
 * Tells what an actor reaches.
 *
 * @throws TypeError as {@link boundTo} does.
 */
export function reachOf(by: Actor | string): (thing: { readonly account: AccountId }) => boolean {
  const own = boundTo(by);
  return ({ account }) => own === undefined || account === own;
}
