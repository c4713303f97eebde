import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { hashOnly } from '../src/internal.ts';

const BYTES = Buffer.from('the same again');

describe('hashOnly', () => {
  it('gives size and hash of a file of exactly the limit', async () => {
    const file = new PassThrough();
    const receiving = hashOnly(file, BYTES.length);
    for (const part of [BYTES.subarray(0, 5), BYTES.subarray(5)]) file.write(part);
    file.end();
    const received = await receiving;
    if (received.kind !== 'received') throw new Error(received.kind);
    const { size, sha256 } = received.archive;
    expect([size, sha256]).to.deep.equal([14, createHash('sha256').update(BYTES).digest('hex')]);
    await received.archive.discard();
  });

  it('reads no further than the limit, and leaves the file open', async () => {
    const file = new PassThrough();
    const receiving = hashOnly(file, 4);
    file.write(BYTES.subarray(0, 5));
    expect(await receiving).to.deep.equal({ kind: 'too_large' });
    expect([file.isPaused(), file.destroyed]).to.deep.equal([true, false]);
  });

  it('rejects with the error of a file that breaks off or is closed before its end', async () => {
    const reason = new Error('gone');
    for (const error of [reason, undefined]) {
      const file = new PassThrough();
      const receiving = hashOnly(file, 100);
      file.write(BYTES);
      file.destroy(error);
      const thrown: unknown = await receiving.catch((caught: unknown) => caught);
      expect(thrown).to.include(error ?? { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    }
  });
});
