import type { RoleId } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { openRig, type Rig } from './rig.ts';

const GZIP = { 'accept-encoding': 'gzip' };
const stored = (length: number) => ({ stored: new Uint8Array(length) });
const FILES = {
  'index.html': 'home',
  'empty.txt': '',
  'max.bin': stored(MAX_READ),
  'larger.bin': stored(MAX_READ + 1),
  'max-deflated.txt': new Uint8Array(MAX_READ + 64),
  'larger-deflated.txt': new Uint8Array(MAX_READ + 65),
  'long-deflated.txt': new Uint8Array(4 * MAX_READ),
};

describe('the bytes read for a requested file', () => {
  let rig: Rig;
  let id: RoleId;
  const open = async (cacheBytes: number): Promise<void> => {
    rig = await openRig({ viewer: { cacheBytes } });
    id = await rig.publish(FILES);
  };
  beforeEach(() => open(64 * MAX_READ));
  afterEach(async () => {
    expect(rig.log.filter(({ error }) => error !== undefined)).to.deep.equal([]);
  });

  /** The number of reads for each of two equal requests. */
  async function timesRead(path: string, headers = {}, method = 'GET'): Promise<readonly number[]> {
    const times: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      rig.storage.reads.length = 0;
      const answer = await rig.askSite(id, `/${path}`, { headers, method });
      expect(answer.status).to.be.oneOf([200, 206]);
      times.push(rig.storage.reads.length);
    }
    return times;
  }

  it('are cached up to 1 MiB compressed, and 64 bytes more as sent', async () => {
    expect(await timesRead('max.bin')).to.deep.equal([1, 0]);
    expect(await timesRead('larger.bin')).to.deep.equal([2, 2]);
    expect(await timesRead('max-deflated.txt')).to.deep.equal([1, 0]);
    expect(await timesRead('larger-deflated.txt')).to.deep.equal([1, 1]);
    expect(await timesRead('larger-deflated.txt', GZIP)).to.deep.equal([1, 0]);
  });

  it('are none for HEAD, or for an empty file', async () => {
    expect(await timesRead('max.bin', {}, 'HEAD')).to.deep.equal([0, 0]);
    expect(await timesRead('empty.txt')).to.deep.equal([0, 0]);
  });

  it('are the requested part of a stored file, and none of a cached one', async () => {
    const part = { range: 'bytes=10-19' };
    expect(await timesRead('max.bin', part)).to.deep.equal([1, 1]);
    expect(rig.storage.reads.map(({ length }) => length)).to.deep.equal([10]);
    await timesRead('max.bin');
    expect(await timesRead('max.bin', part)).to.deep.equal([0, 0]);
  });

  it('are the whole deflated file, cached if it is small or the part begins beyond 1 MiB', async () => {
    expect(await timesRead('max-deflated.txt', { range: 'bytes=1-2' })).to.deep.equal([1, 0]);
    expect(await timesRead('long-deflated.txt', { range: `bytes=${MAX_READ - 1}-` })).to.deep.equal([1, 1]);
    expect(await timesRead('long-deflated.txt', { range: `bytes=${MAX_READ}-` })).to.deep.equal([1, 0]);
  });

  it('are not cached if they take more than a quarter of the memory', async () => {
    const last = { range: `bytes=${4 * MAX_READ - 1}-` };
    for (const [cacheBytes, times] of [
      [16 * MAX_READ, [1, 0]],
      [16 * MAX_READ - 1, [1, 1]],
    ] as const) {
      await open(cacheBytes);
      expect(await timesRead('long-deflated.txt', last)).to.deep.equal(times);
    }
  });
});
