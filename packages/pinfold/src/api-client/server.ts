import { publicUrl } from '@pinfold/http';
import { UsageError } from '../command-line/failures.ts';
import type { Environment } from '../settings/settings.ts';
import { loginsOf } from './logins.ts';

/** A server, and the key for its API. */
export interface Server {
  /** The public URL, which the addresses of the API begin with. */
  readonly url: string;
  readonly apiKey: string;
}

interface ServerOptions {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** The server that `--url` or `PINFOLD_URL` names; `undefined` without them. */
export function serverOf({ url: named, key }: ServerOptions, env: Environment): Server | undefined {
  const text = named ?? (env.PINFOLD_URL || undefined);
  if (text === undefined) return undefined;
  const option = named === undefined ? 'PINFOLD_URL' : '--url';
  const url = publicUrl(text, (expectation) => new UsageError(`${option} ${expectation}`));
  const given = key ?? (env.PINFOLD_KEY || env.PINFOLD_API_KEY || undefined);
  const apiKey = given ?? loginsOf(env).find((login) => login.url === url)?.apiKey;
  if (apiKey === undefined || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(`an API key is required: set PINFOLD_KEY, or run "pinfold login ${url}"`);
  }
  return { url, apiKey };
}
