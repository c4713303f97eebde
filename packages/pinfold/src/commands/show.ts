import type { Pin } from '@pinfold/client';
import { callApi } from '../api-client/api-call.ts';
import { neededServer } from '../api-client/server.ts';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { SERVER_OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold show ID` */
export async function show(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], SERVER_OPTIONS);
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  const { pin } = await callApi(neededServer(values, terminal), terminal, (client) => client.get(id));
  if (values.json) terminal.out(jsonLine({ pin }));
  else for (const [name, value] of factsOf(pin)) terminal.out(shownText(`${name.padEnd(11)}${value}`));
}

function factsOf(pin: Pin): readonly (readonly [name: string, value: string])[] {
  return [
    ['link', pin.shared_url],
    ['title', pin.title ?? '-'],
    ['state', pin.state],
    ['published', pin.published_at],
    pin.deleted_at === null ? ['expires', pin.expires_at ?? 'never'] : ['stopped', pin.deleted_at],
    ['password', pin.password_protected ? 'yes' : 'no'],
    ['files', `${pin.file_count}, ${pin.size} bytes`],
    ['from', pin.original_filename],
  ];
}
