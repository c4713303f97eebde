import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Cause } from '@pinfold/core';

/** The cause of a server's own actions. */
export const BY_THIS_NODE: Cause = { actor: { kind: 'system', id: hostname() } };

/** Which release this is. */
export async function release(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(manifest) as { readonly version: unknown }).version);
}
