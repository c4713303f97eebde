import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { hashOnly } from '../src/internal.ts';

const BYTES = Buffer.from('the same again');

/** Bytes in two chunks, counting those that were asked for. */
function body(asked: { count: number } = { count: 0 }) {
  async function* chunks() {
    for (const chunk of [BYTES.subarray(0, 5), BYTES.subarray(5)]) {
      asked.count += 1;
      yield chunk;
    }
  }
  return chunks();
}

describe('hashOnly', () => {
  it('gives size and hash of a body of exactly the limit', async () => {
    const received = await hashOnly.receive(body(), BYTES.length);
    if (received.kind !== 'received') throw new Error(received.kind);
    const { size, sha256 } = received.archive;
    expect([size, sha256]).to.deep.equal([14, createHash('sha256').update(BYTES).digest('hex')]);
    await received.archive.discard();
  });

  it('reads no further than the limit', async () => {
    const asked = { count: 0 };
    expect(await hashOnly.receive(body(asked), 4)).to.deep.equal({ kind: 'too_large' });
    expect(asked.count).to.equal(1);
  });

  it('rejects with the error of the body, and with the reason of an aborted signal', async () => {
    const reason = new Error('gone');
    const failing = Readable.from(body()).map(() => Promise.reject(reason));
    for (const call of [
      hashOnly.receive(failing, 100),
      hashOnly.receive(body(), 100, AbortSignal.abort(reason)),
    ]) {
      const [outcome] = await Promise.allSettled([call]);
      expect(outcome).to.deep.equal({ status: 'rejected', reason });
    }
  });
});
