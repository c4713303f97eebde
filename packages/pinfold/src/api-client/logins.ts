import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandFailure } from '../command-line/failures.ts';
import type { Environment } from '../settings/settings.ts';

/** Keys by the address of the Pinfold that they are for. */
export type Logins = Readonly<Record<string, string>>;

const ANYBODY_ELSE = 0o077;

/** Where the keys of `pinfold login` are, in the folder that the system has for a user's settings. */
export function loginsFile(env: Environment): string {
  const home = env.HOME || homedir();
  const usual = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  // A relative one is to be ignored (XDG Base Directory Specification).
  const folder = usual !== undefined && isAbsolute(usual) ? usual : join(home, '.config');
  return join(folder, 'pinfold', 'logins.json');
}

/**
 * The keys that are kept.
 *
 * @throws CommandFailure when others could read them, this user cannot, or the file is none of ours.
 */
export function readLogins(env: Environment): Logins {
  const file = loginsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & ANYBODY_ELSE) !== 0) {
      throw new CommandFailure(`other users can read ${file}: revoke the keys in it, or "chmod 600" it`);
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT') return {};
    throw new CommandFailure(`${file} cannot be read (${error.code})`, { cause: error });
  }
  try {
    const logins: unknown = JSON.parse(text);
    if (isLogins(logins)) return logins;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CommandFailure(`${file} does not hold what "pinfold login" keeps there`);
}

/** Keeps a key, in the place of the one before; for its user alone, and whole or not at all. */
export function keepLogin(env: Environment, url: string, key: string): void {
  const file = loginsFile(env);
  const logins = { ...readLogins(env), [url]: key };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(beside, file);
}

function isLogins(parsed: unknown): parsed is Logins {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  return Object.entries(parsed).every(([url, key]) => URL.canParse(url) && typeof key === 'string');
}
