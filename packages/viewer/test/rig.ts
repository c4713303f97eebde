import type { RequestListener } from 'node:http';
import { type ArchiveId, type ArchiveStorage, OPERATOR, type Password, type RoleId } from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { createMemory, type Memory } from '@pinfold/memory';
import { replacing } from '@pinfold/test-contracts/fixtures';
import {
  type Inside,
  openService,
  type ServiceOptions,
  type TestService,
} from 'pinfold-test-servers/service';
import { createViewer, type ViewerOptions } from '../src/index.ts';
import { type Answer, type Ask, ask, locationOf } from './client.ts';
import { type SiteContent, zip } from './zip.ts';

/** The Accept header of a navigation in a browser. */
export const NAVIGATION = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const PASSWORD = 'harbour lights';

const opened: Rig[] = [];
let isInTest = false;

beforeEach(() => {
  isInTest = true;
});
afterEach('the rigs that the test opened are closed', async () => {
  isInTest = false;
  for (const rig of opened.splice(0)) await rig.close();
});

/** The reads of a rig's storage, and how a test changes them. */
export class WatchedStorage {
  readonly reads: { from: number; length: number; signal: AbortSignal | undefined }[] = [];
  /** Awaited before each read. */
  before: (archive: ArchiveId) => unknown = () => undefined;
  /** Changes a copy of the bytes that were read. */
  alter: ((bytes: Uint8Array) => void) | undefined;

  over(archives: ArchiveStorage): ArchiveStorage {
    return replacing(archives, {
      read: async (id, from, length, signal) => {
        this.reads.push({ from, length, signal });
        await this.before(id);
        const bytes = await archives.read(id, from, length, signal);
        if (bytes === undefined || this.alter === undefined) return bytes;
        const copy = Uint8Array.from(bytes);
        this.alter(copy);
        return copy;
      },
    });
  }
}

/** A viewer on a real socket, over the stores in memory. One that is opened for a test closes after it. */
export interface Rig extends Pick<TestService<Memory>, 'port' | 'clock' | 'useCases' | 'close'> {
  readonly memory: Memory;
  readonly storage: WatchedStorage;
  readonly log: RequestEntry[];
  /** The Host header of a site. */
  siteHost(id: RoleId): string;
  publish(files: Readonly<Record<string, SiteContent>>, password?: string): Promise<RoleId>;
  setPassword(id: RoleId, password: string | null): Promise<void>;
  stop(id: RoleId): Promise<void>;
  /** Sends a request to the public host. */
  ask(path: string, how?: Ask): Promise<Answer>;
  /** Sends a request to the host of a site. */
  askSite(id: RoleId, path: string, how?: Ask): Promise<Answer>;
  /** Sends the password form. */
  enter(id: RoleId, password: string, how?: Ask & { readonly query?: string }): Promise<Answer>;
  /** Requests the Location of an answer. */
  follow(answer: Answer, headers?: Ask['headers']): Promise<Answer>;
}

/** The parts that a test replaces. */
export interface RigOptions extends ServiceOptions {
  readonly viewer?: Partial<ViewerOptions>;
  /** Wraps the viewer. */
  readonly mount?: (viewer: ReturnType<typeof createViewer>) => RequestListener;
}

export async function openRig({ viewer: viewerOptions, mount, ...options }: RigOptions = {}): Promise<Rig> {
  const log: RequestEntry[] = [];
  const storage = new WatchedStorage();
  const doors = ({ useCases, publicPort }: Inside): RequestListener => {
    const publicUrl = `http://localhost:${publicPort}`;
    const viewer = createViewer({ useCases, publicUrl, log: (entry) => log.push(entry), ...viewerOptions });
    return mount?.(viewer) ?? ((request, response) => viewer(request, response));
  };
  const ports: ServiceOptions['ports'] = (own) => ({
    archives: storage.over(own.archives),
    ...options.ports?.(own),
  });
  const service = await openService(createMemory(), doors, { ...options, ports });
  const { port, useCases } = service;
  const setPassword = async (id: RoleId, password: string | null): Promise<void> => {
    await useCases.update(
      { by: OPERATOR, id },
      { type: 'set_password', password: password as Password | null },
    );
  };
  const rig: Rig = {
    ...service,
    memory: service.stores,
    storage,
    log,
    siteHost: (id) => `${id}.localhost:${port}`,
    publish: async (files, password) => {
      const { id } = await service.publish(zip(files), { filename: 'site.zip' });
      if (password !== undefined) await setPassword(id, password);
      return id;
    },
    setPassword,
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
    follow: (answer, headers = {}) => {
      const { host, pathname, search } = new URL(locationOf(answer));
      return ask(port, pathname + search, { host, headers });
    },
  };
  if (isInTest) opened.push(rig);
  return rig;
}
