import type { Pin } from '@pinfold/client';
import { callApi } from '../api-client/api-call.ts';
import { neededServer } from '../api-client/server.ts';
import { readArguments, readState } from '../command-line/arguments.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { OPTIONS, SERVER_OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold list` */
export async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { ...OPTIONS.list, ...SERVER_OPTIONS });
  const state = values.state === undefined ? undefined : readState(values.state);
  const pins: Pin[] = [];
  await callApi(neededServer(values, terminal), terminal, async (client) => {
    for await (const pin of client.list({ state })) {
      if (values.json) pins.push(pin);
      else terminal.out(lineOf(pin));
    }
  });
  if (values.json) terminal.out(jsonLine({ pins }));
}

function lineOf({ shared_url, state, expires_at, title, original_filename }: Pin): string {
  return shownText([shared_url, state, expires_at ?? 'pinned', title ?? original_filename].join('  '));
}
