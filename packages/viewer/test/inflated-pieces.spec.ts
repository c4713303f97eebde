import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { Semaphore } from '@pinfold/core/adapter';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { inflatedPieces } from '../src/sending/pieces.ts';
import { storedFile } from './stored-file.ts';

/** Some of it compresses very well, some not at all. */
const CONTENT = Buffer.concat([
  Buffer.alloc(700_000),
  randomBytes(300_000),
  Buffer.alloc(5),
  randomBytes(90_000),
]);
const DEFLATED = deflateRawSync(CONTENT);

const PIECE = 65_536;
const { entry } = storedFile(CONTENT);
let counted = 0;
const outgoing = {
  countLoaded: (bytes: number) => {
    counted += bytes;
  },
};
afterEach(() => {
  expect(counted, 'counted in the end').to.equal(0);
});

/** Turns that record for each use whether it is the first of a file. */
class RecordingTurns extends Semaphore<string> {
  readonly taken: (boolean | undefined)[] = [];

  override enter(...turn: Parameters<Semaphore<string>['enter']>) {
    this.taken.push(turn[2]);
    return super.enter(...turn);
  }
}

describe('the pieces of an inflated file', () => {
  for (const [length, content, largest] of [
    // No compressed byte produces more than 258 bytes.
    [1, CONTENT.subarray(699_000, 701_000), 258],
    [1_000, CONTENT, PIECE],
    [PIECE, CONTENT, PIECE],
    [CONTENT.length, CONTENT, PIECE],
  ] as const) {
    it(`are the file, without holding a turn between two of them, from ${length} bytes per read`, async () => {
      const turns = new Semaphore<string>({ places: 1 });
      const idle: boolean[] = [];
      async function* deflated(): AsyncGenerator<Uint8Array> {
        const bytes = deflateRawSync(content);
        for (let at = 0; at < bytes.length; at += length) {
          idle.push(turns.running === 0);
          yield bytes.subarray(at, at + length);
        }
      }
      const pieces: Uint8Array[] = [];
      const { signal } = new AbortController();
      for await (const piece of inflatedPieces({ entry, turns, client: 'a', signal, outgoing }, deflated())) {
        idle.push(turns.running === 0);
        pieces.push(piece);
      }
      expect(Buffer.concat(pieces).equals(content)).to.equal(true);
      expect(Math.max(...pieces.map((piece) => piece.length))).to.equal(largest);
      expect(idle.every(Boolean)).to.equal(true);
      expect(turns.running).to.equal(0);
    });
  }

  it('are freed once they are sent, however many come from one read', async () => {
    const turns = new Semaphore<string>({ places: 1 });
    const { signal } = new AbortController();
    async function* deflated(): AsyncGenerator<Uint8Array> {
      yield deflateRawSync(Buffer.alloc(100 * PIECE));
    }
    const pieces = inflatedPieces({ entry, turns, client: 'a', signal, outgoing }, deflated());
    const taken: WeakRef<Uint8Array>[] = [];
    for (let count = 0; count < 50; count += 1) taken.push(new WeakRef((await pieces.next()).value));
    await collectGarbage();
    expect(taken.filter((piece) => piece.deref() !== undefined)).to.have.lengthOf.below(5);
    await pieces.return(undefined);
  });

  it('end when the viewer leaves, even if bytes that were read are not yet inflated', async () => {
    const turns = new RecordingTurns({ places: 1 });
    const viewer = new AbortController();
    async function* deflated(): AsyncGenerator<Uint8Array> {
      yield DEFLATED;
    }
    let pieces = 0;
    const pumping = async (): Promise<void> => {
      for await (const _piece of inflatedPieces(
        { entry, turns, client: 'a', signal: viewer.signal, outgoing },
        deflated(),
      )) {
        pieces += 1;
        if (pieces === 2) viewer.abort();
      }
    };
    expect(await pumping().catch((error: unknown) => error)).to.equal(viewer.signal.reason);
    expect([pieces, turns.taken, turns.running]).to.deep.equal([2, [true, false, false], 0]);
  });

  it('hold no turn if the stream is broken, or the rest is not needed', async () => {
    const turns = new Semaphore<string>({ places: 1 });
    const { signal } = new AbortController();
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('no deflate stream at all');
    }
    const reading = inflatedPieces({ entry, turns, client: 'a', signal, outgoing }, broken()).next();
    expect(await reading.catch((error: unknown) => error)).to.have.nested.property(
      'cause.code',
      'Z_DATA_ERROR',
    );
    async function* deflated(): AsyncGenerator<Uint8Array> {
      yield DEFLATED;
    }
    for await (const _piece of inflatedPieces({ entry, turns, client: 'a', signal, outgoing }, deflated()))
      break;
    expect(turns.running).to.equal(0);
  });
});
