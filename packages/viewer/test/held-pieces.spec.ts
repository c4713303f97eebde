import { setImmediate } from 'node:timers/promises';
import type { ManifestEntry } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { loopTurns } from '@pinfold/http/internal';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { Bodies } from '../src/sending/bodies.ts';
import { CircuitBreaker } from '../src/sending/circuit-breaker.ts';
import type { Form } from '../src/sending/file-answer.ts';
import { type BodySource, formPieces } from '../src/sending/pieces.ts';
import { PUBLICATION, storedFile, toolsOver } from './stored-file.ts';

const READS = 3;
const SIZE = 8 * MAX_READ;

describe('sent pieces of a file', () => {
  /** A file whose last chunk storage does not return. */
  function source(method: ManifestEntry['method']): BodySource {
    const { entry } = storedFile(new Uint8Array(SIZE), 'stored');
    let reads = 0;
    const read = (_: unknown, _at: number, length: number): Promise<unknown> => {
      reads += 1;
      if (reads > READS) return new Promise(() => {});
      return Promise.resolve({ kind: 'bytes', bytes: new Uint8Array(length) });
    };
    return {
      ...toolsOver(read, { breaker: new CircuitBreaker(createManualClock()) }),
      publication: PUBLICATION,
      entry: { ...entry, method },
      client: 'a',
      signal: new AbortController().signal,
      outgoing: { countLoaded: () => {} },
    };
  }

  /** Reads the available chunks, and counts those still in memory while the next one is missing. */
  async function countHeld(pieces: AsyncIterator<Uint8Array>): Promise<number> {
    const taken: WeakRef<ArrayBufferLike>[] = [];
    const take = async (): Promise<void> => {
      const { value } = await pieces.next();
      taken.push(new WeakRef(value.buffer));
    };
    let isWaiting = false;
    const takeAll = async (): Promise<void> => {
      for (;;) {
        isWaiting = true;
        await take();
        isWaiting = false;
      }
    };
    void takeAll();
    for (let turns = 0; turns < 200 && taken.length < READS; turns += 1) await setImmediate();
    await collectGarbage();
    expect(taken).to.have.length.of.at.least(READS);
    expect(isWaiting).to.equal(true);
    return taken.filter((piece) => (piece.deref()?.byteLength ?? 0) > 1_000).length;
  }

  it('do not stay in memory while the next is read', async () => {
    for (const [gzip, method, from] of [
      [false, 'stored', 0],
      [false, 'stored', 1],
      [true, 'deflated', 0],
    ] as const) {
      const pieces = formPieces(source(method), { gzip } as Form, { from, to: SIZE });
      expect(await countHeld(pieces), `${gzip} ${method} ${from}`).to.equal(0);
    }
  });

  it('do not stay in memory while a cached piece waits for its turn', async () => {
    const whole = Buffer.alloc(SIZE);
    const { wait } = loopTurns;
    let turns = 0;
    loopTurns.wait = (kind) => (++turns > READS ? new Promise(() => {}) : wait.call(loopTurns, kind));
    const pieces = Object.assign(new Bodies(0), { cached: () => whole }).pieces(
      source('stored'),
      { gzip: false } as Form,
      0,
      SIZE,
    );
    try {
      expect(await countHeld(pieces)).to.equal(0);
    } finally {
      loopTurns.wait = wait;
    }
  });
});
