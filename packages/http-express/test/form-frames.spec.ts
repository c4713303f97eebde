import { expect } from 'chai';
import fc from 'fast-check';
import { FormFrames } from '../src/form-frames.ts';
import type { PartHead } from '../src/part-head.ts';
import { RequestRefused } from '../src/problem.ts';

interface Read {
  readonly heads: readonly PartHead[];
  readonly bodies: readonly string[];
  readonly counted: number;
}

/** Reads a form that comes in pieces, and what was written of it with a parser that trusts it. */
function read(boundary: string, pieces: readonly Buffer[]): Read {
  const heads: PartHead[] = [];
  let counted = 0;
  const frames = new FormFrames(boundary, {
    admit: (head) => {
      heads.push(head);
      return 'Head: x\r\n\r\n';
    },
    count: (bytes) => {
      counted += bytes;
    },
  });
  const written = Buffer.concat(pieces.flatMap((piece) => [...frames.push(piece)])).toString('latin1');
  frames.end();
  const delimiter = `\r\n--${frames.boundary}`;
  expect(written.startsWith(delimiter)).to.equal(true);
  expect(written.endsWith(`${delimiter}--\r\n`)).to.equal(true);
  const parts = written.slice(delimiter.length, -`${delimiter}--\r\n`.length).split(delimiter);
  const bodies = heads.length === 0 ? [] : parts.map((part) => part.replace('\r\nHead: x\r\n\r\n', ''));
  return { heads, bodies, counted };
}

function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [
    0,
    ...at.map((place) => place % (bytes.byteLength + 1)).toSorted((a, b) => a - b),
    bytes.byteLength,
  ];
  return places.slice(1).map((end, n) => bytes.subarray(places[n], end));
}

function form(boundary: string, parts: readonly { readonly name: string; readonly body: Buffer }[]): Buffer {
  const pieces = parts.flatMap(({ name, body }) => [
    Buffer.from(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    body,
  ]);
  return Buffer.concat([...pieces, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

function refusalOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof RequestRefused) return error.refusal.code;
    throw error;
  }
  return 'none';
}

/** Content that looks like the frames around it. */
const lookAlike = fc
  .array(
    fc.constantFrom('\r', '\n', '\r\n', '-', '--', '--b', '--bound', '--bound!', 'bound', 'x', '\0', '\xff'),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => !/\r\n--bound(?:--|[ \t]*\r\n|[ \t]*\r?$)/.test(`\r\n${text}`))
  .map((text) => Buffer.from(text, 'latin1'));

describe('The frames of a form', () => {
  it('are read the same however the bytes are cut, whatever the content looks like', () => {
    const parts = fc.array(fc.record({ name: fc.constantFrom('archive', 'title', 'x'), body: lookAlike }), {
      maxLength: 4,
    });
    const check = fc.property(parts, fc.array(fc.nat(), { maxLength: 12 }), (wanted, places) => {
      const { heads, bodies, counted } = read('bound', cut(form('bound', wanted), places));
      expect(heads.map(({ name }) => name)).to.deep.equal(wanted.map(({ name }) => name));
      expect(bodies).to.deep.equal(wanted.map(({ body }) => body.toString('latin1')));
      expect(counted).to.equal(wanted.reduce((sum, { body }) => sum + body.byteLength, 0));
    });
    fc.assert(check, { numRuns: 300 });
  });

  it('may have bytes before the first part and after the last, and white space after a boundary', () => {
    const text =
      'preamble\r\n--b \t\r\nContent-Disposition: form-data; name=x\r\n\r\nbody\r\n--b--\r\nepilogue';
    for (let n = 0; n <= text.length; n += 1) {
      expect(read('b', cut(Buffer.from(text), [n])).bodies).to.deep.equal(['body']);
    }
  });

  it('need no line break before the first boundary and none after the last', () => {
    const text = '--b\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n--b--';
    expect(read('b', [Buffer.from(text)]).bodies).to.deep.equal(['']);
  });

  it('are not whole before the closing boundary', () => {
    const whole = form('b', [{ name: 'x', body: Buffer.from('body') }]);
    for (let length = 0; length < whole.byteLength - 2; length += 1) {
      expect(
        refusalOf(() => read('b', [whole.subarray(0, length)])),
        `${length}`,
      ).to.equal('invalid_request');
    }
  });

  it('have a limit to each head and to bytes outside of parts', () => {
    const head = (length: number) =>
      Buffer.from(
        `--b\r\nX: ${'x'.repeat(length)}\r\nContent-Disposition: form-data; name=x\r\n\r\n\r\n--b--`,
      );
    expect(read('b', [head(16_000)]).heads).to.have.length(1);
    expect(refusalOf(() => read('b', [head(17_000)]))).to.equal('invalid_request');
    expect(refusalOf(() => read('b', cut(head(17_000), [9_000])))).to.equal('invalid_request');
    expect(refusalOf(() => read('b', [Buffer.alloc(70_000)]))).to.equal('invalid_request');
    const epilogue = Buffer.concat([form('b', []), Buffer.alloc(70_000)]);
    expect(refusalOf(() => read('b', [epilogue]))).to.equal('invalid_request');
  });

  it('passes an upload on in the memory it came in, but for a little around each cut', () => {
    const body = form('b', [{ name: 'archive', body: Buffer.alloc(300_000) }]);
    const chunks = [0, 1, 2, 3, 4].map((n) =>
      Buffer.from(new Uint8Array(body.subarray(n * 65_536, (n + 1) * 65_536)).buffer),
    );
    const own: ReadonlySet<ArrayBufferLike> = new Set(chunks.map(({ buffer }) => buffer));
    const frames = new FormFrames('b', { admit: () => '\r\n\r\n', count: () => undefined });
    const copied = chunks
      .flatMap((chunk) => frames.push(chunk))
      .filter(({ buffer }) => !own.has(buffer))
      .reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(copied).to.be.below(300_000 / 20);
  });
});
