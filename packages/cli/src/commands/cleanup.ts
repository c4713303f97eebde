import type { CleanUpReport } from '@pinfold/core';
import { readArguments } from '../arguments.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Terminal } from '../terminal.ts';
import { withComposition } from '../with-composition.ts';

/** `pinfold cleanup` (contract, section 9) */
export async function cleanup(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { force: { type: 'boolean' } });
  const report = await withComposition(terminal, ({ useCases }) =>
    useCases.cleanUp.run({ force: values.force ?? false }),
  );
  if (values.json) terminal.out(JSON.stringify(report));
  else for (const line of linesOf(report)) terminal.out(line);
  if (report.listing === 'refused') {
    throw new CommandFailure(
      'so many archives have no record that the database may be the wrong one, so none of them was removed; "pinfold cleanup --force" removes them all the same',
    );
  }
}

const LISTING: Readonly<Record<CleanUpReport['listing'], string>> = {
  done: 'storage was compared with the records',
  not_due: 'storage was compared with the records less than a day ago; --force does so now',
  refused: 'storage does not fit the records',
};

function linesOf(report: CleanUpReport): readonly string[] {
  return [
    `${report.archives} archives of ended publications removed, ${report.failures} could not be and will be tried again`,
    `${report.orphans} archives without a record removed: ${LISTING[report.listing]}`,
    `${report.uploads} abandoned uploads, ${report.reservations} old reservations and ${report.attempts} counts of wrong passwords dropped`,
    ...report.missing.map((id) => `missing in the storage: archive ${id} of a published site`),
  ];
}
