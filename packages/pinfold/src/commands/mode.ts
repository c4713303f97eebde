import type { Mode } from '@pinfold/core';
import { isOperatorText } from '@pinfold/core/administration';
import { serviceOf } from '@pinfold/http-express';
import { readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';

/** `pinfold mode [normal | read_only]` */
export async function mode(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['MODE'], OPTIONS.mode, 0);
  const [text] = positionals;
  const wanted = text === undefined ? undefined : readMode(text);
  const message = readMessage(values.message, wanted);
  const now = await withComposition(terminal, ({ administration }) =>
    wanted === undefined
      ? administration.showService()
      : administration.changeService({ kind: wanted, message }, byCommand()),
  );
  terminal.out(values.json ? jsonLine({ service: serviceOf(now) }) : lineOf(now));
}

function readMode(text: string): Mode['kind'] {
  if (text === 'normal' || text === 'read_only') return text;
  throw new UsageError('mode takes normal or read_only');
}

function readMessage(text: string | undefined, wanted: Mode['kind'] | undefined): string | null {
  if (text === undefined) return null;
  if (wanted !== 'read_only') throw new UsageError('--message goes with read_only');
  if (isOperatorText(text)) return text;
  throw new UsageError('--message takes 1 to 255 characters, none of them a control character');
}

function lineOf({ kind, message }: Mode): string {
  return message === null ? kind : `${kind}: ${shownText(message)}`;
}
