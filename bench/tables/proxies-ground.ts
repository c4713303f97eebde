import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../lib/http.ts';
import { zipOf } from '../lib/sites.ts';
import type { ThreeNodes } from '../lib/three-nodes.ts';
import type { ThroughProxy } from '../lib/through-proxy.ts';

const HOT = 10;
const COLD = 40;

/** A published site of one page. */
export interface OnePage {
  readonly id: string;
  readonly page: string;
}

/** The publications that clients view and change during a fault. */
export interface Ground {
  /** Every node has these in memory. */
  readonly hot: readonly OnePage[];
  /** These have not been requested yet. */
  readonly cold: readonly OnePage[];
  readonly protectedSite: OnePage;
  readonly archive: Uint8Array<ArrayBuffer>;
}

/** Publishes sites through a proxy, and requests the hot ones from each node. */
export async function groundOf(service: ThreeNodes, people: ThroughProxy): Promise<Ground> {
  const [protectedSite, ...sites] = await several(HOT + COLD + 1, () => publishOne(people));
  if (protectedSite === undefined) throw new TypeError('nothing was published');
  const failure = await people.protect(protectedSite.id);
  if (failure !== undefined) throw new Error(failure);
  const hot = sites.slice(0, HOT);
  for (const { port } of service.nodes) {
    for (const { id } of hot) {
      const status = await viewPast(port, `${id}.${service.sitesHost}`);
      if (status !== 200) throw new Error(`a node answers ${status}`);
    }
  }
  // By then the proxies have checked every node.
  await pause(3_000);
  return {
    hot,
    cold: sites.slice(HOT),
    protectedSite,
    archive: zipOf({ 'index.html': bytesOf('published') }),
  };
}

async function publishOne(people: ThroughProxy): Promise<OnePage> {
  const page = `<!doctype html><title>A page</title><p>${crypto.randomUUID()}`;
  return { id: await people.published(zipOf({ 'index.html': bytesOf(page) })), page };
}

async function several<Result>(count: number, make: () => Promise<Result>): Promise<readonly Result[]> {
  const made: Result[] = [];
  while (made.length < count) made.push(await make());
  return made;
}

function bytesOf(page: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(page);
}

/** Views a site at a node directly, without the proxy; returns the status. */
export async function viewPast(port: number, host: string): Promise<number> {
  return (await ask({ port, path: '/', headers: { host, 'accept-encoding': 'gzip' }, agent: false })).status;
}
