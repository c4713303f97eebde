import { tokens } from '@pinfold/inversify';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import { counted } from '../command-line/pluralize.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { Progress } from '../moving/progress.ts';
import { type NamedArchive, type Verified, verifyStores } from '../moving/verify-stores.ts';

/** `pinfold verify` */
export async function verify(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.verify);
  const sample = readSample(values.sample);
  const found = await withComposition(terminal, async ({ container }) => {
    const stores = {
      snapshot: await container.getAsync(tokens.snapshot),
      roles: await container.getAsync(tokens.roles),
      archives: await container.getAsync(tokens.archives),
      clock: await container.getAsync(tokens.clock),
    };
    return verifyStores(stores, sample, new Progress('verifying', terminal));
  });
  if (values.json) terminal.out(jsonLine(found));
  else for (const line of linesOf(found)) terminal.out(line);
  const wrong = found.missing.length + found.altered.length + found.superfluous.length;
  if (wrong > 0) throw new CommandFailure(`missing, altered or superfluous: ${counted(wrong, 'archive')}`);
}

function readSample(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--sample takes a whole number');
  return Number(text);
}

function linesOf({ named, read, missing, altered, superfluous, young }: Verified): readonly string[] {
  const those = (what: string, archives: readonly NamedArchive[]) =>
    archives.map(({ archive, pin }) => `${what}: ${archive} of publication ${pin}`);
  return [
    ...those('missing', missing),
    ...those('altered', altered),
    ...superfluous.map((id) => `superfluous: ${id}`),
    `${counted(named, 'archive')} named by records, ${read} of them read; ${young} younger than a day and not named yet`,
  ];
}
