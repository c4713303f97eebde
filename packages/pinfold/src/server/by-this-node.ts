import { hostname } from 'node:os';
import type { Cause } from '@pinfold/core';

/** The cause of a server's own actions. */
export const BY_THIS_NODE: Cause = { actor: { kind: 'system', id: hostname() } };
