import { randomBytes } from 'node:crypto';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { publish, publishPin, send } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';
import { metricOf, metricsText } from './metrics-text.ts';

/** Bytes of files that fit into Node's buffer pool, which has 8 or 64 KiB depending on the version. */
const LENGTHS = [120, 120, 9_000];
const SITES = 4;
const FILES = 60;

function largeSite(): Uint8Array<ArrayBuffer> {
  const files: Zippable = { 'index.html': strToU8('<p>home') };
  for (let index = 0; index < FILES; index += 1) {
    const text = randomBytes((LENGTHS[index % LENGTHS.length] ?? 0) / 2).toString('hex');
    files[`${index}.txt`] = [strToU8(text), { level: index % 3 === 0 ? 0 : 6 }];
  }
  return new Uint8Array(zipSync(files, { mtime: '2026-01-01' }));
}

describe('the bytes that caches count', () => {
  let server: Served;
  beforeEach(async () => {
    server = await serve({ PINFOLD_METRICS_PORT: '0', PINFOLD_RATE_REQUESTS: 'off' });
  });

  const readCachedBytes = async (): Promise<number> => {
    const text = await metricsText(server.metricsPort);
    const bytesOf = (cache: string): number => metricOf(text, `pinfold_cache_bytes{cache="${cache}"}`) ?? 0;
    return bytesOf('bodies') + bytesOf('sites');
  };

  const measureBuffers = async (): Promise<number> => {
    // Finalizers release memory after a collection.
    for (let times = 0; times < 3; times += 1) {
      await collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return process.memoryUsage().arrayBuffers;
  };

  it('are at least half of the memory that buffers take after every kind of request', async () => {
    const local = `http://127.0.0.1:${server.port}`;
    const api = { authorization: `Bearer ${server.key}` };
    const ids: string[] = [];
    for (let index = 0; index < SITES; index += 1) {
      ids.push((await publishPin(server.url, server.key, `site-${index}`, largeSite())).id);
    }
    const before = await measureBuffers();
    for (let index = 0; index < FILES; index += 1) {
      for (const id of ids) {
        const host = `${id}.localhost:${server.port}`;
        const path = `/${index}.txt`;
        const views: Record<string, string>[] = [{}, { range: 'bytes=1-50' }, { 'accept-encoding': 'gzip' }];
        for (const headers of views) {
          expect((await send(local, path, { host, ...headers })).status).to.be.oneOf([200, 206]);
        }
        // The bytes of error pages also come from the pool.
        for (let times = 0; times < 5; times += 1) await send(local, '/nothing', { host });
      }
      const [id = ''] = ids;
      await send(local, `/s/${id}`, { host: `localhost:${server.port}` });
      await send(local, `/s/${id}`, { host: `localhost:${server.port}` }, 'password=wrong');
      await send(local, '/api/v1/pins?limit=5', api);
      await send(local, '/api/v1/events?limit=5', api);
      await send(local, '/manage/', { host: `localhost:${server.port}` });
      if (index % 20 === 0) await publish(server.url, server.key, `between-${index}`);
    }
    const bytes = await readCachedBytes();
    expect(bytes).to.be.greaterThan(500_000);
    expect((await measureBuffers()) - before).to.be.below(2 * bytes);
  });
});
