import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandFailure } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** By platform; no shell comes near the address. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [file: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** @throws CommandFailure where nothing here opens addresses. */
export async function inBrowser(link: string, env: Terminal['env']): Promise<void> {
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
