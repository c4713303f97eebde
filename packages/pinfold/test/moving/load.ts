import { createHash } from 'node:crypto';
import type { Env } from '../command-run.ts';
import { callApi, publishPin, site } from '../servers/api-calls.ts';
import { serve } from '../servers/served.ts';

const CONCURRENCY = 8;

/** A running server with a key, and its publications. */
export interface Publisher {
  readonly url: string;
  readonly key: string;
  /** Publishes this many sites of some bytes, numbered from `from`. */
  publish(from: number, count: number, bytes: number): Promise<void>;
  /** Publishes, renames and stops until it is stopped; resolves with the number of publications. */
  load(ended: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export async function startPublisher(env: Env): Promise<Publisher> {
  const { url, key: made, close } = await serve({ ...env, PINFOLD_RATE_PUBLICATIONS: 'off' });
  const key = env.PINFOLD_API_KEY ?? made;
  const publishOne = async (n: number, bytes: number): Promise<string> =>
    (await publishPin(url, key, `site ${n}`, site(createNoise(n, bytes)))).id;
  const change = async (id: string, n: number): Promise<void> => {
    const path = `/api/v1/pins/${id}`;
    if (n % 3 === 0) await callApi(url, key, 'DELETE', path);
    else await callApi(url, key, 'PATCH', path, { title: `Renamed ${n}` });
  };
  return {
    url,
    key,
    publish: async (from, count, bytes) => {
      let next = from;
      const work = async (): Promise<void> => {
        while (next < from + count) await publishOne(next++, bytes);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
    },
    load: async (ended) => {
      let n = 0;
      while (!ended.aborted) {
        n += 1;
        await change(await publishOne(1_000_000 + n, 2_000), n);
      }
      return n;
    },
    close,
  };
}

/** Letters that do not shrink much, the same for each `n`. */
export function createNoise(n: number, bytes: number): string {
  const outputLength = Math.ceil(bytes * (3 / 4));
  return createHash('shake256', { outputLength }).update(String(n)).digest('base64');
}
