import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { makeMemoryGroup } from '../lib/memory-group.ts';
import { othersP99 } from '../lib/others.ts';
import { peakMiB } from '../lib/process-figures.ts';
import { freePort } from '../lib/processes.ts';
import { missingPrograms, type ProxyName, proxyNames, startProxy } from '../lib/reverse-proxies.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { type Finding, findings, type HostileLoad, type Start } from './hostile-load.ts';

const CONNECTIONS = 60;
const STREAMS = 250;
const HELD = 30_000;
const GROUPS = [256, 1_024];
const SITES_HOST = 'share-sites.example';

/** Streams of HTTP/2 that let nothing come, through each proxy, to a server with little memory. */
export const unreadStreams: HostileLoad = {
  rounds: 1,
  measure: async (start) => {
    const found: Finding[] = [];
    for (const name of proxyNames) {
      for (const mebibytes of GROUPS) found.push(...(await measureThrough(start, name, mebibytes)));
    }
    return found;
  },
};

async function measureThrough(start: Start, name: ProxyName, mebibytes: number): Promise<readonly Finding[]> {
  const what = `${CONNECTIONS} connections of streams that nobody reads, ${name}, in a group of ${mebibytes} MiB`;
  const group = missingPrograms([name]).length > 0 ? undefined : makeMemoryGroup(mebibytes);
  if (group === undefined) return findings(`${what}: not run, no group or no proxy`, ['', 0, 'ms']);
  const settings = {
    PINFOLD_PUBLIC_URL: 'https://share.example',
    PINFOLD_SITES_URL: `https://${SITES_HOST}`,
    PINFOLD_TRUST_PROXY: '127.0.0.1',
  };
  const server = await group.start(() => start(settings));
  // Four for each MB, as the documents say.
  const proxy = await startProxy(name, [server.port, await freePort(), await freePort()], {
    connections: mebibytes * 4,
  });
  try {
    const site = { ...smallPages(2), 'large.bin': new Uint8Array(randomBytes(1_048_576)) };
    const published = await server.publish(zipOf(site));
    const host = published.replace(/\..*/, `.${SITES_HOST}`);
    let sessions: readonly ClientHttp2Session[] = [];
    const attack = async (): Promise<void> => {
      sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => stall(proxy.port, host)));
      await pause(HELD);
    };
    const peak = await peakMiB(server.pid, attack()).catch(() => Number.NaN);
    const others = Number.isNaN(peak) ? Number.NaN : await othersP99(server.port, host, 5);
    for (const session of sessions) session.destroy();
    return findings(
      what,
      ['p99 of others meanwhile', others, 'ms', 100],
      ['memory at its peak', peak, 'MiB', mebibytes],
    );
  } finally {
    await proxy.stop();
    await server.end();
    group.remove();
  }
}

/** Asks for a large file in as many streams as may be, none of which lets a byte of a body come. */
async function stall(port: number, host: string): Promise<ClientHttp2Session> {
  const options = { rejectUnauthorized: false, servername: host, settings: { initialWindowSize: 0 } };
  const session = connect(`https://127.0.0.1:${port}`, options).on('error', () => {});
  await once(session, 'remoteSettings');
  const most = session.remoteSettings.maxConcurrentStreams ?? STREAMS;
  for (let stream = 0; stream < Math.min(STREAMS, most); stream += 1) {
    session.request({ ':path': '/large.bin', ':authority': host }).on('error', () => {});
  }
  return session;
}
