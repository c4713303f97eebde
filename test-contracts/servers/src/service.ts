import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  type ArchiveStorage,
  accountId,
  type Caller,
  type Cleaning,
  type Clock,
  createUseCases,
  type DatabaseClock,
  type Keys,
  type Limits,
  MEMBER_SCOPES,
  OPERATOR,
  type Pairings,
  type Ports,
  type Publication,
  type PublishRequest,
  type RoleId,
  type Sessions,
  type StagedArchive,
  type Staging,
  type UseCaseOptions,
  type UseCases,
} from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import type { AllPorts, Persistence } from '@pinfold/core/adapter';
import { type Administration, createAdministration } from '@pinfold/core/administration';
import { createCleaning } from '@pinfold/core/cleaning';
import { createHistory, type History } from '@pinfold/core/history';
import { createSharing } from '@pinfold/core/sharing';
import { createViews, type Views } from '@pinfold/core/views';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  HmacGrantSigner,
  NodeApiKeySecrets,
  NodeMachine,
  NodeSessionSecrets,
  RandomIds,
  ScryptPasswordHasher,
} from '@pinfold/platform-node';
import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import type { HttpService, HttpSubject } from '@pinfold/test-contracts';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { openRawConnection } from '@pinfold/test-contracts/internal';

/** The stores of a service. Without `archives`, it stores archives in a folder. */
export type Stores = Persistence & { readonly archives?: ArchiveStorage };

export interface Parts {
  readonly useCases: UseCases;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly pairings: Pairings;
  readonly history: History;
  readonly views: Views;
  readonly administration: Administration;
  readonly cleaning: Cleaning;
}

export function composed(
  ports: Ports,
  stores: Persistence,
  { limits, quotas = {}, ...options }: CompositionOptions = {},
): Parts {
  const [apiKeySecrets, sessionSecrets] = [new NodeApiKeySecrets(), new NodeSessionSecrets()];
  const { apiKeys, sessions, pairings, erasures } = stores;
  const sweeping = { ...ports, erasures, ...hostOf(ports.clock, stores) };
  const keys = createKeys({ ...ports, apiKeys, apiKeySecrets });
  return {
    useCases: {
      ...createUseCases(ports, limits, { quotas, ...options }),
      ...createSharing(ports, limits, { quotas }),
    },
    keys,
    sessions: createSessions({ ...ports, apiKeys, sessions, sessionSecrets }, keys),
    pairings: createPairings({ ...ports, pairings, sessionSecrets, apiKeySecrets }, keys),
    history: createHistory({ ...sweeping, history: stores.history }),
    views: createViews({ ...sweeping, views: stores.views }),
    administration: createAdministration({ ...ports, erasures, history: stores.history }),
    cleaning: createCleaning(sweeping, limits),
  };
}

/** A test's clock is also the machine's uptime and the database's clock. */
function hostOf(clock: Clock, persistence: DatabaseClock): Pick<AllPorts, 'machine' | 'persistence'> {
  return 'uptime' in clock
    ? { machine: clock as ManualClock, persistence: { check: async () => undefined } }
    : { machine: new NodeMachine(), persistence };
}

export interface Inside<C extends Clock = ManualClock> extends Parts {
  readonly clock: C;
  /** The port of the public URL: that of the first server. */
  readonly publicPort: number;
}

export type Doors<C extends Clock = ManualClock> = (inside: Inside<C>) => RequestListener;

export interface CompositionOptions extends UseCaseOptions {
  readonly limits?: Partial<Limits> | undefined;
}

export interface ServiceOptions<C extends Clock = ManualClock> extends CompositionOptions {
  readonly clock?: C;
  /** The folder for uploads and archives. Default: a temporary one. */
  readonly folder?: string;
  readonly ports?: ((ports: Ports) => Partial<Ports>) | undefined;
}

/** A service on a real socket, with a clock that the test controls. */
export interface TestService<S extends Stores, C extends Clock = ManualClock> extends Inside<C> {
  readonly ports: Ports;
  readonly port: number;
  readonly server: Server;
  readonly folder: string;
  readonly stores: S;
  uploads(): Promise<readonly string[]>;
  /** Publishes an archive for `owner`, with a new key. */
  publish(archive: Uint8Array, differing?: Partial<PublishRequest>): Promise<Publication>;
  /** Another server over the same data; it closes with the first. */
  peer(stores: S, doors: Doors<C>): Promise<TestService<S, C>>;
  close(): Promise<void>;
}

/** One inspector for all services: it holds no memory while idle. */
const inspector = new ZipArchiveInspector({ workers: 1 });

/** Opens a service; `stores` may use its folder. */
export async function openService<S extends Stores, C extends Clock = ManualClock>(
  stores: S | ((folder: string) => Promise<S>),
  doors: Doors<C>,
  options: ServiceOptions<C> = {},
): Promise<TestService<S, C>> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'pinfold-service-')));
  const { clock = createManualClock() as Clock as C } = options;
  const staging = await openFsStaging({ folder: join(folder, 'staging'), clock });
  // Retries, since an upload that was cut off may be creating or removing its file.
  const remove = () => rm(folder, { recursive: true, maxRetries: 5 });
  const closing: (() => Promise<void>)[] = options.folder === undefined ? [remove] : [];
  let publicPort: number | undefined;
  let published = 0;

  const portsOver = async (opened: S): Promise<Ports> => {
    const ports: Ports = {
      roles: opened.roles,
      accounts: opened.accounts,
      mode: opened.mode,
      attempts: opened.attempts,
      takedowns: opened.takedowns,
      names: opened.names,
      archives:
        opened.archives ?? (await openFsArchiveStorage({ folder: join(folder, 'archives'), staging, clock })),
      staging,
      inspector,
      passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
      grants: new HmacGrantSigner({ secrets: ['a secret that only this test knows'] }),
      clock,
      ids: new RandomIds(),
    };
    return { ...ports, ...options.ports?.(ports) };
  };

  const open = async (opened: S, build: Doors<C>): Promise<TestService<S, C>> => {
    const ports = await portsOver(opened);
    const parts = composed(ports, opened, options);
    const server = await listening();
    closing.unshift(() => closed(server).then(() => opened.close()));
    const { port } = server.address() as AddressInfo;
    publicPort ??= port;
    const inside: Inside<C> = { ...parts, clock, publicPort };
    server.on('request', build(inside));
    return {
      ...inside,
      ports,
      port,
      server,
      folder,
      stores: opened,
      uploads: () => readdir(join(folder, 'staging')),
      publish: async (bytes, differing) => {
        published += 1;
        const archive = await staged(staging, bytes);
        const names = { key: `test ${published}`, filename: `site-${published}.zip` };
        const outcome = await parts.useCases.publish({
          by: 'owner',
          title: null,
          ...names,
          archive,
          ...differing,
        });
        if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome));
        return outcome.publication;
      },
      peer: open,
      close: async () => {
        for (const close of closing) await close();
      },
    };
  };
  return open(typeof stores === 'function' ? await stores(folder) : stores, doors);
}

/** Stages an archive of any size, as an upload does. */
async function staged(staging: Staging, bytes: Uint8Array): Promise<StagedArchive> {
  const outcome = await staging.receive(Readable.from([bytes]), bytes.byteLength);
  if (outcome.kind !== 'received') throw new Error(outcome.kind);
  return outcome.archive;
}

/** Listens on a free port. Unreferenced, so that a test that fails while opening does not keep the process alive. */
export async function listening(listener?: RequestListener): Promise<Server> {
  const server = createServer(listener).unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export async function closed(server: Server): Promise<void> {
  const over = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await over;
}

/** The keys that the HTTP contracts need. */
export async function contractKeys(keys: Keys): Promise<HttpService['keys']> {
  const [first, second] = [accountId('first'), accountId('second')];
  return {
    first: (await keys.create({ by: OPERATOR, account: first })).text,
    second: (await keys.create({ by: OPERATOR, account: second })).text,
    readOnly: (await keys.create({ by: OPERATOR, account: first, scopes: ['pins:read'] })).text,
  };
}

export function contractService(
  { port, useCases, clock }: Pick<TestService<Stores>, 'port' | 'useCases' | 'clock'>,
  viewerMode: HttpService['viewerMode'],
  keys: HttpService['keys'],
): HttpService {
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    viewerMode,
    keys,
    advance: async (length) => clock.advance(length),
    pin: async (id) => void (await useCases.pin({ by: OPERATOR, id: id as RoleId })),
    unpin: async (id) => void (await useCases.unpin({ by: OPERATOR, id: id as RoleId })),
  };
}

/** A service in memory as a subject of the HTTP contracts; each peer is another server. */
export async function openHttpSubject(
  viewerMode: HttpService['viewerMode'],
  doors: Doors,
  options: ServiceOptions = {},
): Promise<HttpSubject> {
  const service: TestService<Memory> = await openService(createMemory(), doors, options);
  const keys = await contractKeys(service.keys);
  return {
    port: contractService(service, viewerMode, keys),
    peer: async () => {
      const peer = await service.peer(service.stores.peer(), doors);
      return contractService(peer, viewerMode, keys);
    },
    dispose: service.close,
  };
}

/**
 * Sends three requests at once on one connection of a door, and returns how many it had begun to authenticate before
 * each answer. Another connection is answered meanwhile.
 */
export async function answeredInTurn(
  open: (authenticate: () => Promise<Caller>) => Promise<{ readonly url: string; readonly beside: string }>,
): Promise<readonly number[]> {
  const waiting: (() => void)[] = [];
  const begun: number[] = [];
  let count = 0;
  const { url, beside } = await open(async () => {
    count += 1;
    await new Promise<void>((go) => waiting.push(go));
    return { account: accountId('owner'), scopes: MEMBER_SCOPES };
  });
  const connection = await openRawConnection(url);
  await connection.send(`GET ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(3));
  for (let answered = 0; answered < 3; answered += 1) {
    while (waiting.length === 0) await setTimeout(1);
    await (await fetch(beside)).text();
    begun.push(count);
    waiting.shift()?.();
    const { status } = await connection.answer();
    if (status !== 200) throw new Error(`answered with ${status}`);
  }
  connection.destroy();
  return begun;
}
