import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openRig } from './rig.ts';

const FILES = 480;
const LONG = 15_000;

describe('the cache of a viewer', () => {
  async function heapUsed(): Promise<number> {
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  }

  it('holds no query and no long header in memory', async () => {
    const rig = await openRig();
    const paths = Array.from({ length: FILES }, (_, index) => `/a-folder-with-a-long-name/${index}.txt`);
    const id = await rig.publish({
      'index.html': 'x',
      ...Object.fromEntries(paths.map((path) => [path.slice(1), path])),
    });
    const view = async (path: string, index: number): Promise<void> => {
      const query = await rig.askSite(id, `${path}?${'q'.repeat(LONG)}`);
      const accepted = { 'accept-encoding': `gzip, x-${index}${'e'.repeat(LONG)}` };
      const header = await rig.askSite(id, path, { headers: accepted });
      expect([query.status, header.status]).to.deep.equal([200, 200]);
    };
    for (const [index, path] of paths.slice(0, 20).entries()) await view(path, index);
    const before = await heapUsed();
    for (const [index, path] of paths.entries()) await view(path, FILES + index);
    expect((await heapUsed()) - before).to.be.below((FILES * LONG) / 2);
  });
});
