import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askWell } from '../lib/http.ts';
import { peerServer } from '../lib/peers.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { freePort, LOAD_CORE, NODE, type RunningServer, startServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { startBenchS3 } from '../lib/s3.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { median } from '../lib/statistics.ts';

const SITES = 200;
/** Sites requested before those that count, so that V8 has compiled the code of each server. */
const WARM = 200;
/** Bytes of the bare read: about the size of a page in its archive. */
const BYTES = 1_000;

/** A server for bare reads: each request reads bytes that were not read before. */
interface Bare {
  readonly server: RunningServer;
  readonly port: number;
  put(name: string, bytes: Uint8Array): Promise<void>;
}

/** The time to the first byte of sites that were never requested, compared with one bare read of the same bytes. */
export async function coldRows(folder: string): Promise<readonly Row[]> {
  return [await onFiles(folder), await onS3(folder)];
}

async function onFiles(folder: string): Promise<Row> {
  const root = join(folder, 'bare');
  await mkdir(root);
  const port = await freePort();
  const command = [process.execPath, peerServer('bare-read')];
  const server = await startServer(command, { ROOT: root, PORT: String(port) });
  const put = (name: string, bytes: Uint8Array): Promise<void> => writeFile(join(root, name), bytes);
  return await coldRow('files', await startPinfold(join(folder, 'cold files')), { server, port, put });
}

async function onS3(folder: string): Promise<Row> {
  const { endpoint, settings, stop } = await startBenchS3(LOAD_CORE);
  const port = await freePort();
  const script = join(import.meta.dirname, '../servers/bare-s3.ts');
  const environment = { ...settings, ENDPOINT: endpoint, PORT: String(port) };
  const server = await startServer([...NODE, script], environment);
  const pinfold = await startPinfold(join(folder, 'cold S3'), settings);
  const put = async (name: string, bytes: Uint8Array): Promise<void> => {
    const { status } = await fetch(`${endpoint}/bench/${name}`, { method: 'PUT', body: Buffer.from(bytes) });
    if (status !== 200) throw new Error(`putting an object: ${status}`);
  };
  try {
    return await coldRow('S3', pinfold, { server, port, put });
  } finally {
    await stop();
  }
}

async function coldRow(where: string, pinfold: PinfoldServer, bare: Bare): Promise<Row> {
  const ids: string[] = [];
  for (let n = 0; n < WARM + SITES; n += 1) {
    const archive = zipOf({ ...smallPages(20), 'own.txt': new TextEncoder().encode(`site ${n}`) });
    ids.push(await pinfold.publish(archive, `cold ${n}`));
    await bare.put(`site-${n}`, archive.subarray(0, BYTES));
  }
  const cold: number[] = [];
  const reads: number[] = [];
  for (let n = 0; n < WARM + SITES; n += 1) {
    const ours = async () =>
      cold.push(await firstByte(pinfold.port, '/p3.html', pinfold.hostOf(ids[n] ?? '')));
    const theirs = async () => reads.push(await firstByte(bare.port, `/site-${n}`, 'localhost'));
    for (const ask of n % 2 === 0 ? [ours, theirs] : [theirs, ours]) await ask();
  }
  await pinfold.stop();
  await bare.server.stop();
  return {
    what: `first byte of a cold site, ${where}`,
    figure: median(counted(cold)) / median(counted(reads)),
    unit: '× bare read',
    goal: { atMost: 1.5 },
    values: { pinfold: counted(cold), 'bare read': counted(reads) },
  };
}

const counted = (values: readonly number[]): readonly number[] => values.slice(WARM);

async function firstByte(port: number, path: string, host: string): Promise<number> {
  return (await askWell({ port, path, headers: { host, 'accept-encoding': 'gzip' } })).firstByte;
}
