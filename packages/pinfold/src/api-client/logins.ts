import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { publicUrl } from '@pinfold/http/internal/public-url';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Environment } from '../settings/settings.ts';
import { tryParseJson } from '../try-parse-json.ts';

/** API keys by the public URL of their server. */
export type Logins = Readonly<Record<string, string>>;

const OTHER_USERS = 0o077;

/** The file in the user's configuration folder to which `pinfold login` writes keys. */
export function loginsFile(env: Environment): string {
  const home = env.HOME || homedir();
  const configFolder = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  // A relative path is ignored, as the XDG Base Directory Specification requires.
  const folder =
    configFolder !== undefined && isAbsolute(configFolder) ? configFolder : join(home, '.config');
  return join(folder, 'pinfold', 'logins.json');
}

/** @throws CommandFailure if other users can read the file, this user cannot, or its format is wrong. */
export function readLogins(env: Environment): Logins {
  const file = loginsFile(env);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    if (process.platform !== 'win32' && (statSync(file).mode & OTHER_USERS) !== 0) {
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
  const logins = tryParseJson(text);
  if (isLogins(logins)) return logins;
  throw new CommandFailure(`${file} does not hold the logins of "pinfold login"`, 'unreadable');
}

export function listLogins(env: Environment): readonly Server[] {
  return Object.entries(readLogins(env)).map(([url, apiKey]) => ({ url, apiKey }));
}

/** Stores a key, replacing an earlier one, or removes it. Writes atomically and for this user only. */
export function writeLogin(env: Environment, url: string, key: string | undefined): void {
  const file = loginsFile(env);
  const { [url]: _, ...others } = readLogins(env);
  const logins = key === undefined ? others : { ...others, [url]: key };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(temporaryFile, file);
}

function isLogins(parsed: unknown): parsed is Logins {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return false;
  return Object.entries(parsed).every(([url, key]) => URL.canParse(url) && typeof key === 'string');
}

/** Whether a text can be an API key in a header. */
export function isKeyText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export interface Server {
  /** The public URL, which is the base of the API's URLs. */
  readonly url: string;
  readonly apiKey: string;
  /** Sends the requests to this server. Default: Node's `fetch`. */
  readonly fetch?: typeof fetch;
}

type ServerOptions = Readonly<Partial<Record<'url' | 'key', string | undefined>>>;

/** The server at `--url` or `PINFOLD_URL`, with its API key; `undefined` without either. */
export function readServer({ url: optionUrl, key }: ServerOptions, env: Environment): Server | undefined {
  const text = optionUrl ?? (env.PINFOLD_URL || undefined);
  if (text === undefined) return undefined;
  const option = optionUrl === undefined ? 'PINFOLD_URL' : '--url';
  const url = publicUrl(text.trim(), (expectation) => new UsageError(`${option} ${expectation}`));
  const configuredKey = key ?? (env.PINFOLD_KEY || env.PINFOLD_API_KEY || undefined);
  const keyText = configuredKey ?? listLogins(env).find((login) => login.url === url)?.apiKey;
  // A secret written by `echo` ends with a newline.
  const apiKey = (keyText ?? '').trim();
  if (apiKey === '') {
    throw new UsageError(`an API key is required: set PINFOLD_KEY, or run "pinfold login ${url}"`);
  }
  if (!isKeyText(apiKey)) {
    throw new UsageError(
      'the API key contains a character that no key has: give only the key that "pinfold keys create" printed',
    );
  }
  return { url, apiKey };
}
