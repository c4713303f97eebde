import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { publicUrl } from '@pinfold/http/internal/public-url';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { parsedJson } from '../parsed-json.ts';
import type { Environment } from '../settings/settings.ts';

/** Keys by the public URL of their Pinfold. */
export type Logins = Readonly<Record<string, string>>;

const ANYBODY_ELSE = 0o077;

/** The file with the keys of `pinfold login`, in the user's configuration folder. */
export function loginsFile(env: Environment): string {
  const home = env.HOME || homedir();
  const usual = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  // The XDG Base Directory Specification says to ignore a relative path.
  const folder = usual !== undefined && isAbsolute(usual) ? usual : join(home, '.config');
  return join(folder, 'pinfold', 'logins.json');
}

/** @throws CommandFailure if other users can read the file, this user cannot, or it has another format. */
export function readLogins(env: Environment): Logins {
  const file = loginsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & ANYBODY_ELSE) !== 0) {
      throw new CommandFailure(
        `other users can read ${file}: revoke the keys in it, or "chmod 600" it`,
        'unreadable',
      );
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code === 'ENOENT') return {};
    throw new CommandFailure(`${file} cannot be read (${error.code})`, { cause: error, code: 'unreadable' });
  }
  const logins = parsedJson(text);
  if (isLogins(logins)) return logins;
  throw new CommandFailure(`${file} does not hold the logins of "pinfold login"`, 'unreadable');
}

export function listLogins(env: Environment): readonly Server[] {
  return Object.entries(readLogins(env)).map(([url, apiKey]) => ({ url, apiKey }));
}

/** Stores a key in the place of an earlier one, or removes it: atomically, and readable by its user alone. */
export function writeLogin(env: Environment, url: string, key: string | undefined): void {
  const file = loginsFile(env);
  const { [url]: _, ...others } = readLogins(env);
  const logins = key === undefined ? others : { ...others, [url]: key };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(written, file);
}

function isLogins(parsed: unknown): parsed is Logins {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  return Object.entries(parsed).every(([url, key]) => URL.canParse(url) && typeof key === 'string');
}

export interface Server {
  /** The public URL, which the addresses of the API begin with. */
  readonly url: string;
  readonly apiKey: string;
  /** Sends its requests; absent: Node's own. */
  readonly fetch?: typeof fetch;
}

type ServerOptions = Readonly<Partial<Record<'url' | 'key', string | undefined>>>;

/** The server that `--url` or `PINFOLD_URL` names; `undefined` without them. */
export function readServer({ url: named, key }: ServerOptions, env: Environment): Server | undefined {
  const text = named ?? (env.PINFOLD_URL || undefined);
  if (text === undefined) return undefined;
  const option = named === undefined ? 'PINFOLD_URL' : '--url';
  const url = publicUrl(text.trim(), (expectation) => new UsageError(`${option} ${expectation}`));
  const given = key ?? (env.PINFOLD_KEY || env.PINFOLD_API_KEY || undefined);
  const found = given ?? listLogins(env).find((login) => login.url === url)?.apiKey;
  // A secret that was made by `echo` ends with a line end.
  const apiKey = (found ?? '').trim();
  if (apiKey === '') {
    throw new UsageError(`an API key is required: set PINFOLD_KEY, or run "pinfold login ${url}"`);
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(
      'the API key has a character that none has: give the key alone, as "pinfold keys create" printed it',
    );
  }
  return { url, apiKey };
}
