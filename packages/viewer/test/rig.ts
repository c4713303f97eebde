import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import {
  createUseCases,
  defaultLimits,
  type Filename,
  type IdempotencyKey,
  type Limits,
  OPERATOR,
  type Password,
  type Ports,
  type RoleId,
  type UseCases,
} from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { createMemory, type Memory } from '@pinfold/memory';
import { HmacGrantSigner, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { createManualClock, createStagedArchives, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { createViewer, type ViewerOptions } from '../src/index.ts';
import { type Answer, type Ask, ask } from './client.ts';
import { type SiteContent, zip } from './zip.ts';

/** Answers the suites expect of a person's browser. */
export const NAVIGATION = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const PASSWORD = 'harbour lights';

/** A viewer on a real socket, over the stores in memory. */
export interface Rig {
  readonly port: number;
  readonly clock: ManualClock;
  readonly memory: Memory;
  readonly useCases: UseCases;
  readonly log: RequestEntry[];
  /** The Host header of a site. */
  siteHost(id: RoleId): string;
  publish(files: Readonly<Record<string, SiteContent>>, password?: string): Promise<RoleId>;
  setPassword(id: RoleId, password: string | null): Promise<void>;
  stop(id: RoleId): Promise<void>;
  /** A request to the public host, */
  ask(path: string, how?: Ask): Promise<Answer>;
  /** to a site's own, */
  askSite(id: RoleId, path: string, how?: Ask): Promise<Answer>;
  /** and the password form. */
  enter(id: RoleId, password: string, how?: Ask & { readonly query?: string }): Promise<Answer>;
  close(): Promise<void>;
}

/** What a test composes otherwise. */
export interface RigOptions {
  readonly viewer?: Partial<ViewerOptions>;
  readonly limits?: Partial<Limits>;
  readonly ports?: (ports: Ports) => Partial<Ports>;
  /** Puts something around the viewer. */
  readonly mount?: (viewer: ReturnType<typeof createViewer>) => RequestListener;
}

const inspector = new ZipArchiveInspector({ workers: 1 });
after(() => inspector.close());

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  // Unreferenced: a test that fails while it opens must not keep the process.
  const server = createServer().unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const staged = await createStagedArchives();
  const clock = createManualClock();
  const memory = createMemory();
  const ports: Ports = {
    roles: memory.roles,
    accounts: memory.accounts,
    attempts: memory.attempts,
    archives: memory.archives,
    staging: await openFsStaging({ folder: staged.folder, clock }),
    inspector,
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret that only this test knows'] }),
    clock,
    ids: new RandomIds(),
  };
  const useCases = createUseCases(
    { ...ports, ...options.ports?.(ports) },
    { ...defaultLimits, ...options.limits },
  );
  const log: RequestEntry[] = [];
  const viewer = createViewer({
    useCases,
    publicUrl: `http://localhost:${port}`,
    log: (entry) => log.push(entry),
    ...options.viewer,
  });
  server.on('request', options.mount?.(viewer) ?? ((request, response) => viewer(request, response)));
  let published = 0;
  const change = async (id: RoleId, password: string | null): Promise<void> => {
    await useCases.update(
      { by: OPERATOR, id },
      { type: 'set_password', password: password as Password | null },
    );
  };
  return {
    port,
    clock,
    memory,
    useCases,
    log,
    siteHost: (id) => `${id}.localhost:${port}`,
    publish: async (files, password) => {
      published += 1;
      const outcome = await useCases.publish({
        by: 'owner',
        key: `key-${published}` as IdempotencyKey,
        filename: 'site.zip' as Filename,
        title: null,
        archive: await staged.stage(await zip(files)),
      });
      if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome));
      if (password !== undefined) await change(outcome.role.id, password);
      return outcome.role.id;
    },
    setPassword: change,
    stop: async (id) => {
      await useCases.stop({ by: OPERATOR, id });
    },
    ask: (path, how) => ask(port, path, how),
    askSite: (id, path, how) => ask(port, path, { host: `${id}.localhost:${port}`, ...how }),
    enter: (id, password, { query = '', headers, ...how } = {}) =>
      ask(port, `/s/${id}${query}`, {
        method: 'POST',
        headers: { ...FORM, ...headers },
        body: new URLSearchParams({ password }).toString(),
        ...how,
      }),
    close: async () => {
      await closed(server);
      await memory.close();
      await staged.dispose();
    },
  };
}

function closed(server: Server): Promise<unknown> {
  const over = once(server, 'close');
  server.close();
  server.closeAllConnections();
  return over;
}
