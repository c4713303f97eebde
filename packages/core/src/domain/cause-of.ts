import type { Caller } from './api-key.ts';
import type { Cause, EventActor, Origin } from './history.ts';
import { accountId } from './identity.ts';

/**
 * Whom the history names for a caller: its key, else its person, else its account.
 *
 * @throws TypeError unless a person is named by 1 to 255 printable characters.
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
