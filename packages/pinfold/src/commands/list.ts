import type { Pin } from '@pinfold/http-express';
import { readArguments } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS, SERVER_OPTIONS } from '../command-line/options.ts';
import { jsonLine, shownText } from '../command-line/shown-text.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { listPins } from '../elsewhere/pins.ts';
import { neededServer } from '../elsewhere/server.ts';

const STATES: readonly string[] = ['published', 'expired', 'deleted'] satisfies readonly Pin['state'][];

/** `pinfold list` */
export async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { ...OPTIONS.list, ...SERVER_OPTIONS });
  if (values.state !== undefined && !STATES.includes(values.state)) {
    throw new UsageError(`--state is one of ${STATES.join(', ')}`);
  }
  const pins: Pin[] = [];
  for await (const pin of listPins(neededServer(values, terminal), values.state)) {
    if (values.json) pins.push(pin);
    else terminal.out(lineOf(pin));
  }
  if (values.json) terminal.out(jsonLine({ pins }));
}

function lineOf({ shared_url, state, expires_at, title, original_filename }: Pin): string {
  return shownText([shared_url, state, expires_at ?? 'pinned', title ?? original_filename].join('  '));
}
