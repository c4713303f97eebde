import { readArguments } from '../command-line/arguments.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';

/** `pinfold migrate` */
export async function migrate(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], {});
  await withComposition(terminal, async () => undefined, { migrates: 'any' });
  terminal.out(values.json ? JSON.stringify({ migrated: true }) : 'The database is up to date.');
}
