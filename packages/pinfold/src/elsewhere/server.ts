import { publicUrl } from '@pinfold/http';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';

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
  const apiKey = values.key ?? (env.PINFOLD_KEY || env.PINFOLD_API_KEY || undefined);
  if (url === undefined) {
    if (values.key !== undefined) throw new UsageError('--key needs --url');
    return undefined;
  }
  const address = publicUrl(url, (expectation) => new UsageError(`--url ${expectation}`));
  if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError('an API key is needed in PINFOLD_KEY');
  }
  return { url: address, apiKey };
}

/** The server that a command works on which only the API can carry out. */
export function neededServer(values: ServerOptions, terminal: Terminal): Server {
  const server = serverOf(values, terminal);
  if (server === undefined) throw new UsageError('the address of a Pinfold is needed in PINFOLD_URL');
  return server;
}
