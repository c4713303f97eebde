import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { startHostileServer } from '../lib/hostile-server.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import type { HostileLoad } from './hostile-load.ts';
import { send, type UploadTarget } from './uploads.ts';

const MiB = 1_048_576;
const UPLOADS = 200;
const PATIENCE = 60_000;

/** 200 uploads of one key that stop after a MiB and are held open, and another account's publication beside them. */
export const heldUploads: HostileLoad = {
  rounds: 3,
  measure: async (checkout) => {
    const server = await startHostileServer(checkout);
    try {
      const other = await server.publisherOf('other');
      const small = zipOf(smallPages(2));
      await send(other, small, 'warm');
      const words = uploadThatStops(server.publisher, MiB);
      const attackers = await Promise.all(
        Array.from({ length: UPLOADS }, () => sayAndTakeNothing(server.port, words)),
      );
      await pause(5_000);
      const staged = await sizeOf(join(server.folder, 'staging'));
      const start = performance.now();
      const { status, body } = await Promise.race([
        send(other, small, 'beside'),
        pause(PATIENCE, { status: 201, body: '' }, { ref: false }),
      ]);
      const taken = (performance.now() - start) / 1_000;
      if (status !== 201) throw new Error(`${status} ${body}`);
      for (const attacker of attackers) attacker.destroy();
      const what = `${UPLOADS} uploads of one key held open after 1 MiB`;
      return [
        { what: `${what}: disk`, figure: staged / MiB, unit: 'MiB', goal: { atMost: 64 } },
        { what: `${what}: another account's small publication`, figure: taken, unit: 's' },
      ];
    } finally {
      await server.end();
    }
  },
};

/** The head of an upload of 10 MiB, and the first bytes of its body. */
export function uploadThatStops({ authorization = '' }: UploadTarget, bytes: number): string {
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
