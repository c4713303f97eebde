import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PinfoldClient, Published as PublishedByClient, PublishOptions } from '@pinfold/client';
import type { AccountId, RoleId } from '@pinfold/core';
import { loginsOf, type Server, serverOf } from '../api-client/logins.ts';
import type { RetryBudget } from '../api-client/retry-budget.ts';
import { readActingAccount } from '../command-line/arguments.ts';
import { type ValueOption, valueOption } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import type { Environment } from '../settings/settings.ts';
import { DEFAULT_ACCOUNT } from '../start/default-account.ts';
import { type Reference, resolveReference } from './publication-reference.ts';
import { noName } from './refusal-text.ts';

export interface PublishRequest extends Omit<PublishOptions, 'signal'> {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly idempotencyKey: string;
}

export type Published = Omit<PublishedByClient, 'idempotencyKey'>;

/** The publications and names of one account. */
export interface Publications {
  /** What it fails with becomes a failure in words where a command ends, and by {@link failure}. */
  readonly api: PinfoldClient;
  /** Publishes once for one Idempotency-Key, and retries while the failure may pass. */
  publish(request: PublishRequest): Promise<Published>;
  failure(error: unknown): unknown;
}

/** The id of a publication of the account, or of what a name of the account shows. */
export async function idOf(reference: Reference, { api }: Publications): Promise<RoleId> {
  const { siteHostOf } = await import('./remote-publications.ts');
  return resolveReference(reference, {
    publicUrlFor: async (id) => (await api.get(id)).pin.shared_url.replace(/\/s\/[^/]*$/, ''),
    siteHostFor: async (id) => siteHostOf((await api.get(id)).pin),
    shownBy: async (segment) => {
      const token = segment.slice(segment.lastIndexOf('-'));
      for await (const { url, pin } of api.names.list()) if (url.endsWith(token)) return pin;
      throw noName();
    },
  });
}

/** The options of every command that works with {@link Publications}. */
export const TARGET_OPTIONS: Readonly<Record<keyof Target, ValueOption>> = {
  url: valueOption('URL', 'use the Pinfold at this address (or PINFOLD_URL)'),
  key: valueOption('KEY', 'its API key; PINFOLD_KEY is better, which other users of the machine cannot see'),
  account: valueOption('NAME', "use the server of this machine's data folder, as this account"),
};

export type Target = Readonly<Partial<Record<'url' | 'key' | 'account', string | undefined>>>;

export type Place =
  | { readonly kind: 'server'; readonly server: Server }
  | { readonly kind: 'machine'; readonly env: Environment; readonly account: AccountId };

export async function withPublications<Result>(
  target: Target,
  isChange: boolean,
  terminal: Terminal,
  task: (publications: Publications) => Promise<Result>,
): Promise<Result> {
  return atPlace(placeOf(target, isChange, terminal), terminal, task);
}

export async function atPlace<Result>(
  place: Place,
  terminal: Terminal,
  task: (publications: Publications) => Promise<Result>,
  budget?: RetryBudget,
): Promise<Result> {
  const server = place.kind === 'server' ? place.server : await serverHere(place);
  const { remotePublications } = await import('./remote-publications.ts');
  const publications = await remotePublications(server, terminal, budget);
  try {
    return await task(publications);
  } catch (error) {
    throw publications.failure(error);
  }
}

async function serverHere({ env, account }: Extract<Place, { kind: 'machine' }>): Promise<Server> {
  const { serverOfMachine } = await import('../api-client/machine-server.ts');
  return await serverOfMachine(env, account);
}

/** The place to ask: the first of `--url`; `--account` or a setting of the data; `PINFOLD_URL`; a login; `./data`. */
export function placeOf(target: Target, isChange: boolean, terminal: Terminal): Place {
  const { env } = terminal;
  if (target.url !== undefined && target.account !== undefined) {
    throw new UsageError('--account cannot be used with --url: the key determines the account');
  }
  const isHere = target.account !== undefined || !!env.PINFOLD_DATA_DIR || !!env.PINFOLD_DATABASE_URL;
  const server = target.url === undefined && isHere ? undefined : serverOf(target, env);
  if (server !== undefined) return { kind: 'server', server };
  if (target.key !== undefined) throw new UsageError('--key needs --url');
  const account = readActingAccount(target.account ?? DEFAULT_ACCOUNT);
  if (isHere) return { kind: 'machine', env, account };
  const data = join(currentFolder(env), 'data');
  const hasData = existsSync(join(data, 'pinfold.sqlite'));
  const logins = loginsOf(env);
  const [login, ...others] = logins;
  if (login === undefined) {
    if (hasData) return { kind: 'machine', env: { ...env, PINFOLD_DATA_DIR: data }, account };
    throw new UsageError(
      'no Pinfold is known here: give --url or PINFOLD_URL, run "pinfold login URL", or set PINFOLD_DATA_DIR to a data folder of this machine',
    );
  }
  if (others.length > 0) {
    throw new UsageError(
      `there are several logins; choose one with --url: ${logins.map(({ url }) => url).join(', ')}`,
    );
  }
  if (hasData) chooseLogin(login, data, isChange, terminal);
  return { kind: 'server', server: login };
}

/** Says which of two places a person gets; a script has to choose before it changes anything. */
function chooseLogin({ url }: Server, data: string, isChange: boolean, { err, confirm }: Terminal): void {
  const choices = `--url ${url} for the server, or PINFOLD_DATA_DIR=${data} for this machine`;
  if (isChange && confirm === undefined)
    throw new UsageError(`there are a login and a data folder: give ${choices}`);
  err(`pinfold: using the login at ${url}, not the data folder ${data}`);
}

/** The caller's current folder: `npm run pinfold` changes to that of the project first. */
export function currentFolder({ INIT_CWD, npm_lifecycle_event }: Environment): string {
  return (npm_lifecycle_event === 'pinfold' && INIT_CWD) || process.cwd();
}
