import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32, deflateRawSync } from 'node:zlib';
import { isFault, type ManifestEntry, type Publication } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { EndedMeanwhile, loopTurns, outgoingBytes } from '@pinfold/http/internal';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { Bodies } from '../src/sending/bodies.ts';
import { CircuitBreaker } from '../src/sending/circuit-breaker.ts';
import type { Form } from '../src/sending/file-answer.ts';
import { type BodySource, formPieces, storedPieces } from '../src/sending/pieces.ts';
import { PUBLICATION, storedFile, toolsOver } from './stored-file.ts';

const PIECE = 65_536;
const CONTENT = Buffer.concat([randomBytes(3 * PIECE), Buffer.alloc(3 * PIECE)]);
const DEFLATED = deflateRawSync(CONTENT);
const OFFSET = 100;

/** The content in the format of RFC 1952, section 2.3. */
const TRAILER = Buffer.alloc(8);
TRAILER.writeUInt32LE(crc32(CONTENT));
TRAILER.writeUInt32LE(CONTENT.length, 4);
const GZIP = Buffer.concat([Buffer.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255), DEFLATED, TRAILER]);
const FORMS = { gzip: { gzip: true } as Form, identity: { gzip: false } as Form };

/** A circuit breaker that counts its calls. */
class CountedBreaker extends CircuitBreaker {
  calls = 0;

  override first<Bytes>(...first: Parameters<typeof CircuitBreaker.prototype.first<Bytes>>) {
    this.calls += 1;
    return super.first(...first);
  }
}

/** Sets up a file with the given bytes in its archive, after others, and the parts of it that were read. */
function setUp(bytes: Uint8Array, method: ManifestEntry['method'], read?: () => Promise<unknown>) {
  const { entry } = storedFile(method === 'stored' ? bytes : CONTENT, method, OFFSET);
  const archive = Buffer.concat([Buffer.alloc(OFFSET), bytes]);
  const reads: [at: number, length: number][] = [];
  const breaker = new CountedBreaker(createManualClock());
  const recordRead = async (_publication: Publication, at: number, length: number) => {
    reads.push([at - OFFSET, length]);
    return read === undefined ? { kind: 'bytes', bytes: archive.subarray(at, at + length) } : read();
  };
  const { signal } = new AbortController();
  const loads: number[] = [];
  const source: BodySource = {
    ...toolsOver(recordRead, { breaker }),
    publication: PUBLICATION,
    entry,
    client: 'a',
    signal,
    outgoing: { countLoaded: (bytes) => loads.push(bytes) },
  };
  return { source, reads, breaker, loads };
}

/** All pieces, none of which may be empty. */
async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) {
    expect(piece).not.to.have.length(0);
    all.push(piece);
  }
  return Buffer.concat(all);
}

describe('the pieces of a body', () => {
  it('are read one by one from the entry, and only the first goes through the circuit breaker', async () => {
    const bytes = randomBytes(2 * MAX_READ + 5);
    const { source, reads, breaker } = setUp(bytes, 'stored');
    expect((await joined(storedPieces(source))).equals(bytes)).to.equal(true);
    expect(reads).to.deep.equal([
      [0, MAX_READ],
      [MAX_READ, MAX_READ],
      [2 * MAX_READ, 5],
    ]);
    expect(breaker.calls).to.equal(1);
  });

  it('are counted while they are read', async () => {
    const { source, loads } = setUp(randomBytes(PIECE + 1), 'stored');
    for await (const _piece of storedPieces(source)) expect(loads).to.deep.equal([PIECE + 1, -PIECE - 1]);
  });

  it('are smaller if there is less room for unsent bytes', async () => {
    const { memory } = outgoingBytes;
    const sizes: number[][] = [];
    for (const room of [PIECE + 1, PIECE, PIECE - 1, 0]) {
      outgoingBytes.memory = 16 * room;
      const { source, reads } = setUp(randomBytes(PIECE + 1), 'stored');
      await joined(storedPieces(source));
      sizes.push(reads.map(([, length]) => length));
    }
    outgoingBytes.memory = memory;
    const small = PIECE / 4;
    expect(sizes).to.deep.equal([
      [PIECE + 1],
      [PIECE, 1],
      [small, PIECE + 1 - small],
      [small, small, small, small, 1],
    ]);
  });

  it('are copied from the cache while it has the body, then read from storage', async () => {
    for (const [name, whole, from, to] of [
      ['identity', CONTENT, 7, 2 * PIECE + 9],
      ['identity', CONTENT, 0, CONTENT.length],
      ['gzip', GZIP, 0, GZIP.length],
    ] as const) {
      for (const cachedPieces of [0, 1, 99]) {
        let calls = 0;
        const cached = () => {
          calls += 1;
          return calls > cachedPieces ? undefined : whole;
        };
        const { source, reads } = setUp(DEFLATED, 'deflated');
        const pieces = Object.assign(new Bodies(0), { cached }).pieces(source, FORMS[name], from, to);
        expect((await joined(pieces)).equals(whole.subarray(from, to)), `${name} ${cachedPieces}`).to.equal(
          true,
        );
        expect(reads.length > 0).to.equal(cachedPieces < 99);
      }
    }
  });

  it('give the rest of a gzip member from any position', async () => {
    for (const from of [0, 3, 10, PIECE, GZIP.length - 8, GZIP.length - 3]) {
      const { source } = setUp(DEFLATED, 'deflated');
      const pieces = formPieces(source, FORMS.gzip, { from, to: GZIP.length });
      expect((await joined(pieces)).equals(GZIP.subarray(from)), `${from}`).to.equal(true);
    }
  });

  it('give any part of an expanded entry', async () => {
    for (const [from, length] of [
      [0, CONTENT.length],
      [0, 1],
      [PIECE - 1, 2],
      [2 * PIECE, PIECE],
      [CONTENT.length - 1, 1],
    ] as const) {
      for (const [bytes, method] of [
        [CONTENT, 'stored'],
        [DEFLATED, 'deflated'],
      ] as const) {
        const { source } = setUp(bytes, method);
        const part = await joined(formPieces(source, FORMS.identity, { from, to: from + length }));
        expect(part.equals(CONTENT.subarray(from, from + length)), `${method} ${from}`).to.equal(true);
      }
    }
  });

  it('release the inflater before the last piece of a part is sent, which may take long', async () => {
    for (const [from, length] of [
      [0, 1],
      [PIECE, PIECE],
      [0, CONTENT.length],
    ] as const) {
      const { source, loads } = setUp(DEFLATED, 'deflated');
      const pieces = formPieces(source, FORMS.identity, { from, to: from + length });
      for (let sent = 0; sent < length; ) sent += (await pieces.next()).value.length;
      expect(
        loads.reduce((sum, bytes) => sum + bytes, 0),
        `${from} ${length}`,
      ).to.equal(0);
    }
  });

  it('end in a fault if storage returns too few bytes, and report that the role has ended', async () => {
    const short = setUp(DEFLATED, 'stored', async () => ({ kind: 'bytes', bytes: Buffer.of(1) }));
    const fault = await joined(storedPieces(short.source)).catch((error: unknown) => error);
    expect(isFault(fault) && fault.code).to.equal('store_corrupt');
    const expired = setUp(DEFLATED, 'stored', async () => ({ kind: 'expired' }));
    const ended = await joined(storedPieces(expired.source)).catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(EndedMeanwhile).with.deep.property('ended', { kind: 'expired' });
  });
});

const READS = 3;
const SIZE = 8 * MAX_READ;

describe('sent pieces of a file', () => {
  /** A file whose last piece storage does not return. */
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

  /** Reads the available pieces, and counts those still in memory while the next one is missing. */
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
