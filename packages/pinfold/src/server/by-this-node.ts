import { hostname } from 'node:os';
import type { Cause } from '@pinfold/core';

/** What the history tells of what a server does by itself. */
export const BY_THIS_NODE: Cause = { actor: { kind: 'system', id: hostname() } };
