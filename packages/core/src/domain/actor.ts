import type { Refusal } from '../refusal.ts';
import type { ApiKeyId, Caller } from './api-key.ts';
import type { Cause, EventActor, Origin } from './history.ts';
import { type AccountId, accountId, type Branded, type Sha256 } from './identity.ts';

/** The operator of the service, who reads and changes all roles. Several copies of this package in a process share it. */
export const OPERATOR: Branded<symbol, 'Operator'> = Symbol.for('@pinfold/core/operator') as never;

/** The actor that reads or changes something: an account reaches its own roles, the operator all. */
export type Actor = AccountId | typeof OPERATOR;

/** The authority of a change: an account's is subject to its block and to the service's mode, the operator's is not. */
export type Authority = 'account' | 'operator';

/** The authority of a save; `viewing` only opens an account's site, and is subject to its block but not to the mode. */
export type SaveAuthority = Authority | 'viewing';

/**
 * The only account that an actor reaches; `undefined` for the operator.
 *
 * @throws TypeError for neither an account nor {@link OPERATOR}, so that a forgotten actor is not the operator.
 */
export function accountOfActor(by: Actor | string): AccountId | undefined {
  if (typeof by === 'string') return accountId(by);
  if (by === OPERATOR) return undefined;
  throw new TypeError('the actor is an account or OPERATOR');
}

/**
 * Makes a predicate for what an actor reaches.
 *
 * @throws TypeError as {@link accountOfActor} does.
 */
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

/** The only account that is listed; `undefined` for all. */
export function listedAccount({ by, account }: ListScope): AccountId | undefined {
  return accountOfActor(by) ?? (account === undefined ? undefined : accountId(account));
}

/**
 * The key or session of a caller. A store refuses the change once the key is revoked or the session has ended. A key that
 * the store does not have is valid unless `isKeyStored`: an embedding team may put keys of its own in {@link Caller}.
 */
export interface Credential {
  readonly key?: ApiKeyId | null;
  /** As in {@link Caller}. */
  readonly isKeyStored?: boolean;
  /** The hash of the session's token. */
  readonly session?: Sha256 | null;
}

/** The answer to a change whose credential is invalid. */
export const UNAUTHORIZED: Refusal<'unauthorized'> = { kind: 'refused', code: 'unauthorized' };

export function credentialOf({ key, isKeyStored = false }: Pick<Caller, 'key' | 'isKeyStored'>): Credential {
  return { key: key ?? null, isKeyStored };
}

/**
 * The actor in the history: the caller's key, else its person, else its account.
 *
 * @throws TypeError for a person whose name is not 1 to 255 printable characters.
 */
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
