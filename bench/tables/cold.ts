import { mkdir, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { peerServer } from '../lib/peers.ts';
import type { PinfoldServer } from '../lib/pinfold.ts';
import { freePort, startServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { median } from '../lib/statistics.ts';

const SITES = 200;

/** The time to the first byte of sites that nobody has asked for yet, against one bare read of the same bytes. */
export async function coldRow(pinfold: PinfoldServer, folder: string): Promise<readonly Row[]> {
  const bare = join(folder, 'bare');
  await mkdir(bare);
  const ids: string[] = [];
  for (let n = 0; n < SITES; n += 1) {
    const archive = zipOf({ ...smallPages(20), 'own.txt': new TextEncoder().encode(`site ${n}`) });
    ids.push(await pinfold.publish(archive, `cold ${n}`));
    await writeFile(join(bare, String(n)), archive.subarray(0, 1_000));
  }
  const port = await freePort();
  const server = await startServer([process.execPath, peerServer('bare-read')], {
    ROOT: bare,
    PORT: String(port),
  });
  const cold: number[] = [];
  const reads: number[] = [];
  for (let n = 0; n < SITES; n += 1) {
    cold.push(await firstByte(pinfold.port, '/p3.html', pinfold.hostOf(ids[n] ?? '')));
    reads.push(await firstByte(port, `/${n}`, 'localhost'));
  }
  await server.stop();
  const what = 'first byte of a cold site';
  const values = { pinfold: cold, 'bare read': reads };
  return [{ what, figure: median(cold) / median(reads), unit: '× bare read', goal: { atMost: 1.5 }, values }];
}

function firstByte(port: number, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = { host, 'accept-encoding': 'gzip' };
    httpRequest({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.once('data', () => resolve(performance.now() - start));
      if (answer.statusCode !== 200) reject(new Error(`cold: ${answer.statusCode}`));
    })
      .on('error', reject)
      .end();
  });
}
