import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PinfoldClient, Published as PublishedByClient, PublishOptions } from '@pinfold/client';
import { type AccountId, parseRoleId, type RoleId } from '@pinfold/core';
import { parseNameSegment } from '@pinfold/core/internal';
import { listLogins, readServer, type Server } from '../api-client/logins.ts';
import { readActingAccount } from '../command-line/arguments.ts';
import { type ValueOption, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { DEFAULT_ACCOUNT } from '../identity.ts';
import type { Environment } from '../settings/settings.ts';
import { nameNotFound } from './refusal-text.ts';

export interface PublishRequest extends Omit<PublishOptions, 'signal'> {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly idempotencyKey: string;
}

export type Published = Omit<PublishedByClient, 'idempotencyKey'>;

/** The publications and names of one account. */
export interface Publications {
  /** Throws errors of the client; {@link toFailure} turns them into messages for the user. */
  readonly api: PinfoldClient;
  /** Publishes once per Idempotency-Key. Retries temporary failures. */
  publish(request: PublishRequest): Promise<Published>;
  /** Turns an error of the client into a CommandFailure; returns other errors unchanged. */
  toFailure(error: unknown): unknown;
}

/** Resolves a reference to a publication or a name of the account. */
export async function resolveId(reference: Reference, { api }: Publications): Promise<RoleId> {
  const { findSiteHost } = await import('./remote-publications.ts');
  return resolveReference(reference, {
    publicUrlFor: async (id) => (await api.get(id)).pin.shared_url.replace(/\/s\/[^/]*$/, ''),
    siteHostFor: async (id) => findSiteHost((await api.get(id)).pin),
    findShown: async (segment) => {
      const token = segment.slice(segment.lastIndexOf('-'));
      for await (const { url, pin } of api.names.list()) if (url.endsWith(token)) return pin;
      throw nameNotFound();
    },
  });
}

/** The options that choose a server, for every command that works with {@link Publications}. */
export const TARGET_OPTIONS: Readonly<Record<keyof TargetOptions, ValueOption>> = {
  url: valueOption('URL', 'use the Pinfold at this address (or PINFOLD_URL)'),
  key: valueOption('KEY', 'its API key; PINFOLD_KEY is better, which other users of the machine cannot see'),
  account: valueOption('NAME', "use the server of this machine's data folder, as this account"),
};

export type TargetOptions = Readonly<Partial<Record<'url' | 'key' | 'account', string | undefined>>>;

/** The server of a command: one by its URL, or the one that runs on a data folder of this machine. */
export type Target =
  | { readonly kind: 'server'; readonly server: Server }
  | { readonly kind: 'machine'; readonly env: Environment; readonly account: AccountId };

export async function withPublications<Result>(
  options: TargetOptions,
  isChange: boolean,
  terminal: Terminal,
  task: (publications: Publications) => Promise<Result>,
): Promise<Result> {
  return withTarget(chooseTarget(options, isChange, terminal), terminal, task);
}

export async function withTarget<Result>(
  target: Target,
  terminal: Terminal,
  task: (publications: Publications) => Promise<Result>,
  options: { readonly sharesBudget?: boolean } = {},
): Promise<Result> {
  const server = target.kind === 'server' ? target.server : await findServer(target);
  const { openRemotePublications } = await import('./remote-publications.ts');
  const publications = await openRemotePublications(server, terminal, options.sharesBudget);
  try {
    return await task(publications);
  } catch (error) {
    throw publications.toFailure(error);
  }
}

async function findServer({ env, account }: Extract<Target, { kind: 'machine' }>): Promise<Server> {
  const { findMachineServer } = await import('../api-client/machine-server.ts');
  return await findMachineServer(env, account);
}

/** Chooses the first of: `--url`; `--account` or a setting of the data; `PINFOLD_URL`; the only login; `./data`. */
export function chooseTarget(options: TargetOptions, isChange: boolean, terminal: Terminal): Target {
  const { env } = terminal;
  if (options.url !== undefined && options.account !== undefined) {
    throw new UsageError('--account cannot be used with --url: the key determines the account');
  }
  const isOnMachine = options.account !== undefined || !!env.PINFOLD_DATA_DIR || !!env.PINFOLD_DATABASE_URL;
  const server = options.url === undefined && isOnMachine ? undefined : readServer(options, env);
  if (server !== undefined) return { kind: 'server', server };
  if (options.key !== undefined) throw new UsageError('--key needs --url');
  const account = readActingAccount(options.account ?? DEFAULT_ACCOUNT);
  if (isOnMachine) return { kind: 'machine', env, account };
  const data = join(currentFolder(env), 'data');
  const hasData = existsSync(join(data, 'pinfold.sqlite'));
  const logins = listLogins(env);
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
  if (hasData) warnOfIgnoredData(login, data, isChange, terminal);
  return { kind: 'server', server: login };
}

/** Prints that the login is used and the data folder ignored. A script that changes something must choose, so it fails. */
function warnOfIgnoredData(
  { url }: Server,
  data: string,
  isChange: boolean,
  { err, confirm }: Terminal,
): void {
  const choices = `--url ${url} for the server, or PINFOLD_DATA_DIR=${data} for this machine`;
  if (isChange && confirm === undefined)
    throw new UsageError(`there are a login and a data folder: give ${choices}`);
  err(`pinfold: using the login at ${url}, not the data folder ${data}`);
}

/** The folder in which the user called the command. `npm run pinfold` changes to the project's folder before it runs. */
export function currentFolder({ INIT_CWD, npm_lifecycle_event }: Environment): string {
  return (npm_lifecycle_event === 'pinfold' && INIT_CWD) || process.cwd();
}

/** A publication, or a name that shows one, as an argument refers to it. `base`: host and path of the public URL. */
export type Reference =
  | { readonly kind: 'publication'; readonly id: RoleId; readonly base?: string; readonly siteHost?: string }
  | { readonly kind: 'name'; readonly segment: string; readonly base: string };

/** Looks up details of a reference on the server that the command works with. */
interface ReferenceLookup {
  /** The public URL of the server; `undefined` if it is not known. Throws if the server has no such publication. */
  publicUrlFor(id: RoleId): Promise<string | undefined>;
  /** The host of the publication's site; `undefined` if it is not known. */
  siteHostFor(id: RoleId): Promise<string | undefined>;
  /** The publication that a name shows, by the name's URL segment in any spelling. Throws if the server has no such name. */
  findShown(segment: string): Promise<string>;
}

/** Parses an id or a URL of a publication, site or name; throws a UsageError that does not repeat the text. */
export function readReference(text: string, name: string = 'ID'): Reference {
  const id = parseRoleId(text);
  if (id !== undefined) return { kind: 'publication', id };
  const [, origin = '', scheme, path = ''] = /^((https?:\/\/)?[^/?#]*)([^?#]*)/i.exec(text) ?? [];
  // In the form of the public URL: lower case, in ASCII, without a default port.
  const host = URL.parse(scheme === undefined ? `https://${origin}` : origin)?.host ?? '';
  const [, below = '', kind, segment = ''] = /^(.*?)\/([sn])\/([^/]+)/.exec(path) ?? [];
  const base = `${host}${below}`;
  if (kind === 'n' && parseNameSegment(segment) !== undefined) return { kind: 'name', segment, base };
  const sharedId = kind === 's' ? parseRoleId(segment) : undefined;
  if (sharedId !== undefined) return { kind: 'publication', id: sharedId, base };
  const siteId = parseRoleId(host.replace(/\..*/s, ''));
  if (siteId !== undefined) return { kind: 'publication', id: siteId, siteHost: host };
  throw new UsageError(`${name} must be a shared URL, the URL of a site or of a name, or a UUID`);
}

/** Resolves a reference to an id. Never sends a request to the host of a URL, which may be any server. */
export async function resolveReference(reference: Reference, lookup: ReferenceLookup): Promise<RoleId> {
  if (reference.kind === 'publication') {
    const { id, base, siteHost } = reference;
    if (base !== undefined) checkSameServer(base, await lookup.publicUrlFor(id));
    if (siteHost !== undefined && siteHost !== ((await lookup.siteHostFor(id)) ?? siteHost))
      throw otherServerError();
    return id;
  }
  const shown = parseRoleId(await lookup.findShown(reference.segment));
  if (shown === undefined) throw otherServerError();
  checkSameServer(reference.base, await lookup.publicUrlFor(shown));
  return shown;
}

function checkSameServer(base: string, publicUrl: string | undefined): void {
  if (publicUrl === undefined) return;
  const { host, pathname } = new URL(publicUrl);
  if (base !== `${host}${pathname.replace(/\/$/, '')}`) throw otherServerError();
}

function otherServerError(): CommandFailure {
  return new CommandFailure('The URL is not one of the server that this command works with.', 'not_found');
}
