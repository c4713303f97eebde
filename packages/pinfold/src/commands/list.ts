import type { Pin } from '@pinfold/http-express';
import { readArguments, readState } from '../command-line/arguments.ts';
import { OPTIONS, SERVER_OPTIONS } from '../command-line/options.ts';
import { shownText } from '../command-line/shown-text.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { listPins } from '../elsewhere/pins.ts';
import { neededServer } from '../elsewhere/server.ts';

/** `pinfold list` */
export async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { ...OPTIONS.list, ...SERVER_OPTIONS });
  const state = values.state === undefined ? undefined : readState(values.state);
  const pins: Pin[] = [];
  for await (const pin of listPins(neededServer(values, terminal), state)) {
    if (values.json) pins.push(pin);
    else terminal.out(lineOf(pin));
  }
  if (values.json) terminal.out(JSON.stringify({ pins }));
}

function lineOf({ shared_url, state, expires_at, title, original_filename }: Pin): string {
  return shownText([shared_url, state, expires_at ?? 'pinned', title ?? original_filename].join('  '));
}
