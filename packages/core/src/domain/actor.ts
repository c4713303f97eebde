import type { Refusal } from '../refusal.ts';
import type { ApiKeyId, Caller } from './api-key.ts';
import type { Cause, EventActor, Origin } from './history.ts';
import { type AccountId, accountId, type Branded } from './identity.ts';
import type { Sha256 } from './sha256.ts';

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
export function accountOfActor(by: Actor | string): AccountId | undefined {
  if (typeof by === 'string') return accountId(by);
  if (by === OPERATOR) return undefined;
  throw new TypeError('say who asks: an account or OPERATOR');
}

/** @throws TypeError as {@link accountOfActor} does. */
export function reachOf(by: Actor | string): (thing: { readonly account: AccountId }) => boolean {
  const own = accountOfActor(by);
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
  return accountOfActor(by) ?? (account === undefined ? undefined : accountId(account));
}

/**
 * The key or session of a caller. With it, a store refuses the change once the key is revoked or the session has
 * ended. A key that the store does not know is valid unless it is said to be stored: a team may name its own keys in
 * {@link Caller}.
 */
export interface Credential {
  readonly key?: ApiKeyId | null;
  /** As in {@link Caller}. */
  readonly isKeyStored?: boolean;
  /** The hash of the session's token. */
  readonly session?: Sha256 | null;
}

/** The answer to a change whose credential no longer counts. */
export const UNAUTHORIZED: Refusal<'unauthorized'> = { kind: 'refused', code: 'unauthorized' };

export function credentialOf({ key, isKeyStored = false }: Pick<Caller, 'key' | 'isKeyStored'>): Credential {
  return { key: key ?? null, isKeyStored };
}

/** Whom the history names for a caller: its key, else its person (TypeError for a wrong name), else its account. */
export function actorOf({ key, person, account }: Pick<Caller, 'key' | 'person' | 'account'>): EventActor {
  if (key !== undefined) return { kind: 'key', id: key };
  return { kind: 'person', id: person === undefined ? account : accountId(person) };
}

/** The cause that the history records for a caller's request. */
export function causeOf(caller: Caller, origin: Origin = {}): Cause {
  const { operator } = caller;
  if (operator === undefined) return { actor: actorOf(caller), ...origin };
  return { actor: { kind: 'operator', id: operator }, asOperator: true, ...origin };
}
