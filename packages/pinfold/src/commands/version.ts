import { readFile } from 'node:fs/promises';
import { readArguments } from '../command-line/arguments.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold version` */
export async function version(args: readonly string[], { out }: Terminal): Promise<void> {
  const { values } = readArguments(args, [], {});
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const release = String((JSON.parse(manifest) as { readonly version: unknown }).version);
  out(values.json ? JSON.stringify({ version: release }) : release);
}
