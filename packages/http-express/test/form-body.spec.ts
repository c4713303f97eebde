import { archivePart, multipart } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { FormBody } from '../src/form-body.ts';
import { turn } from './client.ts';

const BOUNDARY = /boundary=(.+)$/;

/** A form as it is passed on, and in how many pieces. */
function opened() {
  const { contentType, body } = multipart([archivePart(Buffer.alloc(20_000, 'x'))]);
  const form = new FormBody(BOUNDARY.exec(contentType)?.[1] ?? '');
  const pieces: Buffer[] = [];
  form.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => form.once('end', resolve));
  return { form, body, pieces, ended };
}

describe('the body of a form', () => {
  it('is read in few pieces though it comes byte by byte', async () => {
    const { form, body, pieces, ended } = opened();
    for (const byte of body) form.write(Uint8Array.of(byte));
    form.end();
    await ended;
    expect(Buffer.concat(pieces).includes(Buffer.alloc(20_000, 'x'))).to.equal(true);
    expect(pieces.length).to.be.below(50);
  });

  it('is passed on as it comes, however little of it does', async () => {
    const { form, body, pieces, ended } = opened();
    const half = body.length / 2;
    for (const byte of body.subarray(0, half)) form.write(Uint8Array.of(byte));
    for (let n = 0; n < 5; n += 1) await turn();
    const before = Buffer.concat(pieces).length;
    expect(before).to.be.above(half - 500);
    form.end(body.subarray(half));
    await ended;
    expect(Buffer.concat(pieces).includes(Buffer.alloc(20_000, 'x'))).to.equal(true);
  });

  it('is refused for what it is, also where that stands in its last bytes', async () => {
    const { form } = opened();
    const refused = new Promise<Error>((resolve) => form.once('error', resolve));
    form.write('--');
    form.end('no form');
    expect((await refused).message).to.equal('invalid_request');
  });
});
