import type { Mode } from '@pinfold/core';
import { serviceOf } from '@pinfold/http-express/internal';
import { readOperatorText } from '../command-line/arguments.ts';
import { type Command, command, valueOption } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';

const mode = command({
  name: 'mode',
  arguments: ['[MODE]'],
  options: {
    message: valueOption('TEXT', 'shown to everyone who tries to change something'),
  },
  help: 'show the mode, or set it: normal, or read_only during maintenance',
  example: 'pinfold mode read_only --message "Back at noon"',
  guide: 'administration.md#make-it-read-only',
  run: async ([modeText], values, terminal) => {
    const kind = modeText === undefined ? undefined : readMode(modeText);
    const message = readMessage(values.message, kind);
    const current = await withComposition(terminal, ({ administration }) =>
      kind === undefined
        ? administration.showService()
        : administration.changeService({ kind, message }, operatorCause()),
    );
    const text = current.message === null ? current.kind : `${current.kind}: ${current.message}`;
    return { json: { service: serviceOf(current) }, text };
  },
});

export const commands: readonly Command[] = [mode];

function readMode(text: string): Mode['kind'] {
  if (text === 'normal' || text === 'read_only') return text;
  if (text === 'readonly' || text === 'read-only') return 'read_only';
  throw new UsageError('MODE must be normal or read_only');
}

function readMessage(text: string | undefined, kind: Mode['kind'] | undefined): string | null {
  if (text === undefined) return null;
  if (kind !== 'read_only') throw new UsageError('--message needs the mode read_only');
  return readOperatorText(text, '--message');
}
