import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type RoleId, seconds } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import type { Answer } from './client.ts';
import { expectPage } from './expect-page.ts';
import { openRig, type Rig } from './rig.ts';

const RETRY_LATER = { 'retry-after': '5' };

describe('with a storage that hangs', () => {
  let rig: Rig;
  let id: RoleId;
  let conditions: Readonly<Record<string, string>>;

  beforeEach(async () => {
    conditions = {};
    rig = await openRig();
    id = await rig.publish({
      'index.html': 'home',
      'hot.txt': 'hot',
      ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.txt`, `${index}`])),
      'large.bin': { stored: new Uint8Array(3 * MAX_READ) },
      'deflated.bin': randomBytes(3 * MAX_READ),
    });
    await rig.askSite(id, '/hot.txt');
    rig.storage.before = () => new Promise(() => {});
    rig.storage.reads.length = 0;
  });

  /** Sends requests, and advances the clock until they time out. */
  async function askAndTimeOut(...paths: readonly string[]): Promise<Answer[]> {
    const before = rig.storage.reads.length;
    const answers = paths.map((path) => rig.askSite(id, path, { headers: conditions }));
    while (rig.storage.reads.length < before + new Set(paths).size) await setTimeout(1);
    // The requests that share a read must have arrived, too.
    for (let turn = 0; turn < 20; turn += 1) await rig.ask('/turn');
    rig.clock.advance(seconds(5));
    return Promise.all(answers);
  }

  it('a view without cache is 503 after five seconds, with Retry-After: 5, for any file and form', async () => {
    for (const [path, headers] of [
      ['/0.txt', {}],
      ['/large.bin', {}],
      ['/deflated.bin', {}],
      ['/deflated.bin', { 'accept-encoding': 'gzip' }],
    ] as const) {
      conditions = headers;
      const [answer] = await askAndTimeOut(path);
      expectPage(answer as Answer, 503, RETRY_LATER);
      expect(rig.storage.reads.at(-1)?.signal?.aborted, path).to.equal(true);
      expect(rig.log.findLast(({ status }) => status === 503)?.error).to.include({
        code: 'storage_unavailable',
      });
    }
  });

  it('five requests that wait for the same file count as five', async () => {
    await askAndTimeOut('/0.txt', '/0.txt', '/0.txt', '/0.txt', '/0.txt');
    expect(rig.storage.reads).to.have.length(1);
    expectPage(await rig.askSite(id, '/1.txt'), 503, RETRY_LATER);
    expect(rig.storage.reads).to.have.length(1);
  });
});
