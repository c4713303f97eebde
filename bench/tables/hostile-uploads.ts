import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';
import { send, type UploadTarget } from './uploads.ts';

const MiB = 1_048_576;
const HELD = 200;
const DRIPPING = 64;
/** Bytes that each of these sends per second. */
const A_SECOND = 8;
const MAX_WAIT = 60_000;
const SMALL = zipOf(smallPages(2));

/** 200 uploads of one key that stop after a MiB and stay open, during another account's publication. */
export const heldUploads: HostileLoad = {
  rounds: 3,
  measure: async (start) => {
    const server = await start();
    const other = await server.publisherOf('other');
    await send(other, SMALL, 'warm');
    const words = Array<string>(HELD).fill(uploadThatStops(server.publisher, MiB));
    const attackers = await sayAndTakeNothing(server.port, ...words);
    await pause(5_000);
    const staged = await sizeOf(join(server.folder, 'staging'));
    const taken = await publishBeside(other, [201]);
    for (const attacker of attackers) attacker.destroy();
    return findings(
      `${HELD} uploads of one key held open after 1 MiB`,
      ['disk', staged / MiB, 'MiB', 64],
      ["another account's small publication", taken, 's'],
    );
  },
};

/** 64 uploads of one key that send 8 bytes a second, during another account's publication. */
export const drippingUploads: HostileLoad = {
  rounds: 3,
  measure: async (start) => {
    const server = await start();
    const other = await server.publisherOf('other');
    await send(other, SMALL, 'warm');
    const words = Array<string>(DRIPPING).fill(uploadThatStops(server.publisher, 0));
    const attackers = await sayAndTakeNothing(server.port, ...words);
    const dripping = setInterval(() => {
      for (const attacker of attackers) attacker.write('x'.repeat(A_SECOND));
    }, 1_000);
    await pause(3_000);
    const taken = await publishBeside(other, [201, 503]);
    clearInterval(dripping);
    for (const attacker of attackers) attacker.destroy();
    const what = `${DRIPPING} uploads of one key at ${A_SECOND} B/s`;
    return findings(what, ["another account's small publication", taken, 's', 2]);
  },
};

/** Seconds that another account's publication takes; one that is not answered counts as a minute. */
async function publishBeside(other: UploadTarget, expected: readonly number[]): Promise<number> {
  const start = performance.now();
  const { status, body } = await Promise.race([
    send(other, SMALL, 'beside'),
    pause(MAX_WAIT, { status: 201, body: '' }, { ref: false }),
  ]);
  if (!expected.includes(status)) throw new Error(`${status} ${body}`);
  return (performance.now() - start) / 1_000;
}

/** The head of an upload of 10 MiB, and the first bytes of its body. */
function uploadThatStops({ authorization = '' }: UploadTarget, bytes: number): string {
  const lines = [
    'POST /api/v1/pins?dry_run=true HTTP/1.1',
    'Host: localhost',
    `Authorization: ${authorization}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${10 * MiB}`,
  ];
  const part = '--b\r\ncontent-disposition: form-data; name="archive"; filename="site.zip"\r\n\r\n';
  return `${lines.join('\r\n')}\r\n\r\n${part}${'x'.repeat(bytes)}`;
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = names.map(async (name) => {
    const found = await stat(join(folder, name));
    return found.isFile() ? found.size : 0;
  });
  return (await Promise.all(sizes)).reduce((all, size) => all + size, 0);
}
