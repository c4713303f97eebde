import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readArguments } from '../command-line/arguments.ts';
import { CommandFailure } from '../command-line/failures.ts';
import { SERVER_OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { foreignAnswer } from '../elsewhere/answers.ts';
import { readOne } from '../elsewhere/pins.ts';
import { neededServer } from '../elsewhere/server.ts';

type Program = readonly [file: string, ...args: readonly string[]];

/** `pinfold open ID` */
export async function open(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], SERVER_OPTIONS);
  const id = readPublicationId(positionals[0] ?? '', 'ID');
  const pin = await readOne(neededServer(values, terminal), id);
  const link = webAddress(pin.shared_url);
  terminal.out(values.json ? JSON.stringify({ pin }) : link);
  await inBrowser(link, terminal.env);
}

/** What opens addresses opens programs, too: nothing but a page of the web may reach it. */
function webAddress(text: string): string {
  const { protocol, href } = URL.parse(text) ?? {};
  if (href === undefined || (protocol !== 'http:' && protocol !== 'https:')) throw foreignAnswer();
  return href;
}

/** No shell comes near the address. */
function opener(): Program {
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return ['xdg-open'];
  }
}

async function inBrowser(link: string, env: Terminal['env']): Promise<void> {
  const [file, ...args] = opener();
  const child = spawn(file, [...args, link], { env: { ...env }, stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new CommandFailure(`no browser can be opened here (${file}: ${error.code})`, { cause: error });
  }
  child.unref();
}
