import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ThreeNodes } from '../lib/three-nodes.ts';
import type { ThroughProxy } from '../lib/through-proxy.ts';
import { type Asking, type Counted, trafficDuring } from '../lib/traffic.ts';
import { type Ground, type OnePage, viewPast } from './proxies-ground.ts';

const MiB = 1_048_576;

/** For 20 s, every answer of the store is 10 s late, while cold sites are requested, too. */
export async function slowStorage(
  service: ThreeNodes,
  people: ThroughProxy,
  { hot, cold }: Ground,
): Promise<Counted> {
  const askings = [views(people, hot, 50), views(people, cold, 2)];
  const [counted] = await trafficDuring(askings, async () => {
    service.slowStore(10_000);
    await pause(20_000);
    service.slowStore(0);
  });
  await pause(5_000);
  return counted ?? NOTHING;
}

/** One node cannot reach the database for 10 s. */
export async function databaseAway(
  { nodes, sitesHost }: ThreeNodes,
  people: ThroughProxy,
  { hot, cold }: Ground,
): Promise<Counted> {
  const [, , node] = nodes;
  const [site] = hot;
  if (node === undefined || site === undefined) return NOTHING;
  const counts = await trafficDuring([views(people, hot, 50), views(people, cold, 2)], async () => {
    await pause(1_000);
    await node.database.cut();
    await pause(10_000);
    const status = await viewPast(node.port, `${site.id}.${sitesHost}`);
    await node.database.restore();
    if (status !== 503) throw new Error(`a node without a database answers ${status}`);
  });
  await pause(5_000);
  return together(counts);
}

/** No node can reach the database for 20 s: every answer reports that, and when to retry. */
export async function databaseAwayForAll(
  service: ThreeNodes,
  people: ThroughProxy,
  ground: Ground,
): Promise<Counted> {
  const counts = await trafficDuring(meanwhile(people, ground, { views: 50, publications: 2 }), async () => {
    await pause(1_000);
    await cutFor(service, 20_000);
    await pause(5_000);
  });
  await pause(5_000);
  return together(counts);
}

/** Traffic at all these proxies at once for a number of minutes; three times no node can reach the database, for a tenth of the time each. One count for each proxy. */
export async function threeOutages(
  service: ThreeNodes,
  proxies: readonly { readonly people: ThroughProxy; readonly ground: Ground }[],
  minutes: number,
): Promise<readonly Counted[]> {
  const tenth = minutes * 6_000;
  const outages = (async (): Promise<void> => {
    for (let outage = 0; outage < 3; outage += 1) {
      await pause(2 * tenth);
      await cutFor(service, tenth);
    }
    await pause(tenth);
  })();
  const counting = proxies.map(async ({ people, ground }) =>
    together(await trafficDuring(meanwhile(people, ground, { views: 5, publications: 0.1 }), () => outages)),
  );
  return await Promise.all(counting);
}

/** Clients that accept a page that says when to try again. */
function meanwhile(
  people: ThroughProxy,
  { hot, archive }: Ground,
  aSecond: { readonly views: number; readonly publications: number },
): readonly Asking[] {
  return [
    { aSecond: aSecond.views, ask: inTurn(hot, ({ id, page }) => people.viewMeanwhile(id, page)) },
    { aSecond: aSecond.publications, ask: () => people.publishMeanwhile(archive) },
    { aSecond: aSecond.publications, ask: () => people.publishByHttp2Meanwhile(archive) },
  ];
}

/** No node can reach the database for a number of milliseconds. */
async function cutFor({ nodes }: ThreeNodes, milliseconds: number): Promise<void> {
  for (const { database } of nodes) await database.cut();
  await pause(milliseconds);
  for (const { database } of nodes) await database.restore();
}

/** The disk of one node is full for 10 s: publications go to the others once the proxy has noticed. */
export async function stagingOfOneFull(
  { nodes: [, node] }: ThreeNodes,
  people: ThroughProxy,
  { archive }: Ground,
): Promise<Counted> {
  if (node === undefined) return NOTHING;
  await fill(join(node.folder(), 'filler'));
  await pause(10_000);
  const publishing = { aSecond: 5, ask: () => people.publish(archive) };
  const [published] = await trafficDuring([publishing], () => pause(10_000));
  await rm(join(node.folder(), 'filler'));
  await pause(10_000);
  return published ?? NOTHING;
}

/** The disks of all nodes are full for 10 s, and clients still publish. */
export async function stagingFull(
  { nodes }: ThreeNodes,
  people: ThroughProxy,
  { hot, archive }: Ground,
): Promise<Counted> {
  const publishing = { aSecond: 2, ask: () => people.publish(archive) };
  const [viewed, published] = await trafficDuring([views(people, hot, 50), publishing], async () => {
    for (const node of nodes) await fill(join(node.folder(), 'filler'));
    await pause(10_000);
    for (const node of nodes) await rm(join(node.folder(), 'filler'));
  });
  if (published?.failures.length === 0) throw new Error('the disks were not full');
  await pause(5_000);
  return viewed ?? NOTHING;
}

/** Each node is stopped with SIGTERM, started again, and the next one waits until the proxy has seen it. */
export async function rollingRestart(
  { nodes }: ThreeNodes,
  people: ThroughProxy,
  { hot, archive, protectedSite }: Ground,
): Promise<Counted> {
  const askings = [
    views(people, hot, 50),
    { aSecond: 5, ask: () => people.publish(archive) },
    { aSecond: 1, ask: () => people.publish(archive, SLOWLY) },
    { aSecond: 5, ask: () => people.rename(protectedSite.id) },
    { aSecond: 1, ask: () => people.enter(protectedSite.id) },
  ];
  const counts = await trafficDuring(askings, async () => {
    for (const node of nodes) {
      await node.stop();
      await node.start();
      await pause(5_000);
    }
  });
  return together(counts);
}

/** An upload over a slow line, in milliseconds. */
const SLOWLY = 3_000;

const NOTHING: Counted = { requests: 0, failures: ['nothing was asked'] };

function views(people: ThroughProxy, sites: readonly OnePage[], aSecond: number): Asking {
  return { aSecond, ask: inTurn(sites, ({ id, page }) => people.view(id, page)) };
}

/** Requests one site after another. */
function inTurn(
  sites: readonly OnePage[],
  ask: (site: OnePage) => Promise<string | undefined>,
): Asking['ask'] {
  let turn = 0;
  return async () => {
    turn += 1;
    const site = sites[turn % sites.length];
    return site === undefined ? 'no site' : await ask(site);
  };
}

function together(counts: readonly Counted[]): Counted {
  return {
    requests: counts.reduce((sum, { requests }) => sum + requests, 0),
    failures: counts.flatMap(({ failures }) => failures),
  };
}

/** Writes until nothing more fits. */
async function fill(file: string): Promise<void> {
  const zeros = new Uint8Array(MiB);
  try {
    for (;;) await writeFile(file, zeros, { flag: 'a' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
