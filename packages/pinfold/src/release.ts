import { readFile } from 'node:fs/promises';

/** Which release this is. */
export async function release(): Promise<string> {
  const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(manifest) as { readonly version: unknown }).version);
}
