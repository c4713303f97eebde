import { readArguments } from '../command-line/arguments.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';

/** `pinfold migrate` */
export async function migrate(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], {});
  await withComposition(terminal, async () => undefined, { migrates: 'any' });
  terminal.out(values.json ? jsonLine({ migrated: true }) : 'The database is up to date.');
}
