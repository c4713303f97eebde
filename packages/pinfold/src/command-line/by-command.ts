import { userInfo } from 'node:os';
import type { Cause } from '@pinfold/core';

/** The cause of changes by the command: the name of the user, if the system knows one. */
export function operatorCause(): Cause {
  return { actor: { kind: 'operator', id: userName() }, asOperator: true };
}

function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A user of a container need have no entry, and so no name.
    return null;
  }
}
