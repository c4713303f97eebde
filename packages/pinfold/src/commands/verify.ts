import { type Command, command } from '../command-line/command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { pluralize } from '../command-line/pluralize.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { Progress } from '../moving/progress.ts';
import { type NamedArchive, type Verified, verifyStores } from '../moving/verify-stores.ts';

const verify = command({
  name: 'verify',
  options: {
    sample: {
      type: 'string',
      value: 'NUMBER',
      help: 'read only so many archives, chosen at random; missing archives are always found',
    },
  },
  help: 'read the archives and compare them with the records',
  example: 'pinfold verify --sample 100',
  guide: 'backups.md',
  run: async (_, { json, ...values }, terminal) => {
    const sample = readSample(values.sample);
    const found = await withComposition(terminal, ({ ports }) =>
      verifyStores(ports, sample, new Progress('verifying', terminal)),
    );
    if (json) terminal.out(jsonLine(found));
    else for (const line of linesOf(found)) terminal.out(line);
    const wrong = found.missing.length + found.altered.length + found.superfluous.length;
    const message = `missing, altered or superfluous: ${pluralize(wrong, 'archive')}`;
    if (wrong > 0) throw new CommandFailure(message, { reported: true });
  },
});

export const commands: readonly Command[] = [verify];

function readSample(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--sample must be a whole number');
  return Number(text);
}

function linesOf({ named, read, missing, altered, superfluous, young }: Verified): readonly string[] {
  const those = (what: string, archives: readonly NamedArchive[]) =>
    archives.map(({ archive, pin }) => `${what}: ${archive} of publication ${pin}`);
  return [
    ...those('missing', missing),
    ...those('altered', altered),
    ...superfluous.map((id) => `superfluous: ${id}`),
    `${pluralize(named, 'archive')} of publications, of which ${read} were read; ${young} more are younger than a day and have no publication yet`,
  ];
}
