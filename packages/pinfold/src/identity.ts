import { hostname, userInfo } from 'node:os';
import { type AccountId, accountId, type Cause } from '@pinfold/core';

/** The cause of a server's own actions. */
export const BY_THIS_NODE: Cause = { actor: { kind: 'system', id: hostname() } };

/** The cause of changes by the command: the name of the user, if the system knows one. */
export function operatorCause(): Cause {
  return { actor: { kind: 'operator', id: userName() }, asOperator: true };
}

/** The name of the user who runs this process. */
export function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // In a container, the id of the user may have no name.
    return null;
  }
}

/** The account of the first key and the welcome site, and the default account of commands. */
export const DEFAULT_ACCOUNT: AccountId = accountId('default');
