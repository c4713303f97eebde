import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandFailure } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** The program that opens a URL, by platform. None of them runs a shell, which could interpret the URL. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [file: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a link in the browser. @throws CommandFailure if no opener can be started. */
export async function openInBrowser(link: string, env: Terminal['env']): Promise<void> {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(file, [...args, link], { env: { ...env }, stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new CommandFailure(`no browser can be opened here (${file}: ${error.code})`, {
      cause: error,
      code: 'not_found',
    });
  }
  child.unref();
}
