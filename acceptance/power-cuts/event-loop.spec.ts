import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Client } from '../service/client.ts';
import { countInLoops, hasCompiler, newDisk } from './disk.ts';
import { diskSettings, type Flushing, inDiskFolder } from './disk-settings.ts';
import { startServer } from './server.ts';

const KEY = `pf_eventloop_${'a'.repeat(43)}`;
const PUBLICATIONS = 20;
/** Publications after which the thread that writes has started, on any machine. */
const MAX_BEFORE = 5_000;

/** The flushes for which an event loop waited in 20 publications, after the thread that writes has started. */
function flushesInLoop(how: Flushing): Promise<number> {
  return inDiskFolder(async (folder) => {
    const disk = newDisk(folder);
    const server = await startServer(disk.data, KEY, diskSettings(folder, disk, how));
    try {
      const client = new Client(server.url, KEY);
      const flushesOf = async (count: number): Promise<number> => {
        const before = countInLoops(disk);
        for (let left = count; left > 0; left -= 1)
          expect((await client.publish(randomUUID())).status).to.equal(201);
        return countInLoops(disk) - before;
      };
      const most = how.withoutThread ? PUBLICATIONS : MAX_BEFORE;
      for (let n = 0; n < most && (await flushesOf(1)) > 0; n += 1);
      return await flushesOf(PUBLICATIONS);
    } finally {
      await server.kill();
    }
  });
}

describe('The event loop of a server on SQLite', () => {
  const seenBy = hasCompiler() ? 'disk.c' : 'flushed-commits.ts';

  it('waits for no flush while it publishes, a moment after the start', async () => {
    expect(await flushesInLoop({ seenBy })).to.equal(0);
  });

  it('waits for both flushes of a database without a thread that writes', async () => {
    expect(await flushesInLoop({ seenBy, withoutThread: true })).to.be.at.least(2 * PUBLICATIONS);
  });

  it('waits for no commit, as can be seen without a compiler', async () => {
    expect(await flushesInLoop({ seenBy: 'flushed-commits.ts' })).to.equal(0);
  });
});
