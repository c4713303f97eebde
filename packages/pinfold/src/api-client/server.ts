import { publicUrl } from '@pinfold/http';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { readLogins } from './logins.ts';

/** A Pinfold elsewhere. */
export interface Server {
  /** What its API begins with. */
  readonly url: string;
  readonly apiKey: string;
}

/** The options that name a server. */
export interface ServerOptions {
  readonly url?: string;
  readonly key?: string;
}

/** The server that options or environment name; `undefined` where they name none. */
export function serverOf(values: ServerOptions, { env }: Terminal): Server | undefined {
  const url = values.url ?? (env.PINFOLD_URL || undefined);
  if (url === undefined) {
    if (values.key !== undefined) throw new UsageError('--key needs --url');
    return undefined;
  }
  const address = publicUrl(url, (expectation) => new UsageError(`--url ${expectation}`));
  const given = values.key ?? (env.PINFOLD_KEY || env.PINFOLD_API_KEY || undefined);
  const apiKey = given ?? readLogins(env)[address];
  if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(`an API key is needed in PINFOLD_KEY, or by "pinfold login ${address}"`);
  }
  return { url: address, apiKey };
}

/** The server that a command works on which only the API can carry out. */
export function neededServer(values: ServerOptions, terminal: Terminal): Server {
  const server = serverOf(values, terminal) ?? onlyLogin(terminal);
  if (server === undefined) throw new UsageError('the address of a Pinfold is needed in PINFOLD_URL');
  return server;
}

/** The server of the one login that is kept; of several, none is meant more than the others. */
function onlyLogin({ env }: Terminal): Server | undefined {
  const [login, ...others] = Object.entries(readLogins(env));
  if (login === undefined || others.length > 0) return undefined;
  const [url, apiKey] = login;
  return { url, apiKey };
}
