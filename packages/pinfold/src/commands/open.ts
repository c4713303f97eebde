import { callApi } from '../api-client/api-call.ts';
import { inBrowser } from '../api-client/browser.ts';
import { NOT_A_PINFOLD } from '../api-client/failure-text.ts';
import { neededServer } from '../api-client/server.ts';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { SERVER_OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold open ID` */
export async function open(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], SERVER_OPTIONS);
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  const { pin } = await callApi(neededServer(values, terminal), terminal, (client) => client.get(id));
  const link = webAddress(pin.shared_url);
  terminal.out(values.json ? jsonLine({ pin }) : link);
  await inBrowser(link, terminal.env);
}

/** What opens addresses opens programs, too: nothing but a page of the web may reach it. */
function webAddress(text: string): string {
  const { protocol, href } = URL.parse(text) ?? {};
  if (href === undefined || (protocol !== 'http:' && protocol !== 'https:'))
    throw new CommandFailure(NOT_A_PINFOLD);
  return href;
}
