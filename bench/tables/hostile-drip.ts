import { setTimeout as pause } from 'node:timers/promises';
import { sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { startHostileServer } from '../lib/hostile-server.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import type { HostileLoad } from './hostile-load.ts';
import { uploadThatStops } from './hostile-uploads.ts';
import { send } from './uploads.ts';

const UPLOADS = 64;
/** Bytes that each of them brings in a second. */
const A_SECOND = 8;

/** 64 uploads of one key that bring 8 bytes a second, and another account's publication beside them. */
export const drippingUploads: HostileLoad = {
  rounds: 3,
  measure: async (checkout) => {
    const server = await startHostileServer(checkout);
    try {
      const other = await server.publisherOf('other');
      const small = zipOf(smallPages(2));
      await send(other, small, 'warm');
      const words = uploadThatStops(server.publisher, 0);
      const attackers = await Promise.all(
        Array.from({ length: UPLOADS }, () => sayAndTakeNothing(server.port, words)),
      );
      const dripping = setInterval(() => {
        for (const attacker of attackers) attacker.write('x'.repeat(A_SECOND));
      }, 1_000);
      await pause(3_000);
      const start = performance.now();
      const { status, body } = await send(other, small, 'beside');
      const taken = (performance.now() - start) / 1_000;
      clearInterval(dripping);
      for (const attacker of attackers) attacker.destroy();
      if (status !== 201 && status !== 503) throw new Error(`${status} ${body}`);
      const what = `${UPLOADS} uploads of one key at ${A_SECOND} B/s: another account's small publication`;
      return [{ what, figure: taken, unit: 's', goal: { atMost: 2 } }];
    } finally {
      await server.end();
    }
  },
};
