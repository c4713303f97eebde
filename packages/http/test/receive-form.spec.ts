import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault, type ReceiveOutcome, type Staging, seconds } from '@pinfold/core';
import { type FormPart, multipart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type FormFailure,
  type FormReader,
  type ReceiveFormOptions,
  receiveForm,
  receiveInto,
} from '../src/internal.ts';
import { incoming, turns } from './incoming.ts';

/** A refusal with its reason. */
interface Refused {
  readonly kind: 'refused';
  readonly reason: FormFailure | 'field' | 'file' | 'end';
}

/** Accepts every part except those that are named for a refusal. */
class Reader implements FormReader<readonly string[], Refused> {
  readonly seen: string[] = [];

  field({ name, text, cut }: Parameters<FormReader<unknown, Refused>['field']>[0]) {
    this.seen.push(`${name}=${text}${cut ? '…' : ''}`);
    if (name === 'throws') throw new TypeError('a defect');
    return name === 'refused' ? this.#refused('field') : undefined;
  }

  file({ name, filename, type }: Parameters<FormReader<unknown, Refused>['file']>[0]) {
    this.seen.push(`${name}: ${filename} ${type}`);
    return name === 'refused' ? this.#refused('file') : undefined;
  }

  end() {
    const refused = this.seen.some((one) => one.startsWith('last='));
    return refused ? this.#refused('end') : { kind: 'fields' as const, fields: this.seen };
  }

  refuse(reason: FormFailure) {
    return this.#refused(reason);
  }

  #refused(reason: Refused['reason']): Refused {
    return { kind: 'refused', reason };
  }
}

/** A staging that reports the files stored in it. */
function stagingOf(fault?: Fault) {
  const stored = new Set<string>();
  const receive = async (body: AsyncIterable<Uint8Array>, limit: number): Promise<ReceiveOutcome> => {
    let text = '';
    for await (const bytes of body) {
      if (fault !== undefined) throw fault;
      text += Buffer.from(bytes).toString('latin1');
      if (text.length > limit) return { kind: 'too_large' };
    }
    stored.add(text);
    const discard = async () => {
      stored.delete(text);
      throw new Fault('staging_unavailable', 'the disk is gone');
    };
    return {
      kind: 'received',
      archive: {
        file: text,
        open: () => ReadableStream.from<Uint8Array>([]),
        size: text.length,
        sha256: '' as never,
        discard,
      },
    };
  };
  return { stored, staging: { receive } as Staging };
}

const ARCHIVE: FormPart = { name: 'archive', filename: 'a.zip', type: 'application/zip', body: 'bytes' };
const text = (name: string, body: string | Uint8Array = 'x'): FormPart => ({ name, body });

/** Receives a form: the whole body, unless `send` does something else. */
async function receive(parts: readonly FormPart[], { fault, reader = new Reader(), send }: ReceiveWith = {}) {
  const form = multipart(parts);
  const { body, request, clock, times } = incoming({ 'content-type': form.contentType });
  const { stored, staging } = stagingOf(fault);
  const options: ReceiveFormOptions = { ...times, receive: receiveInto(staging), archiveBytes: 1_000 };
  const receiving = receiveForm(request, reader, options).catch((error: unknown) => error as Error);
  if (send === undefined) body.end(form.body);
  else await send(body, form.body, (length) => clock.advance(length));
  return { outcome: await receiving, stored, body };
}

interface ReceiveWith {
  readonly fault?: Fault;
  readonly reader?: Reader;
  readonly send?: (
    body: ReturnType<typeof incoming>['body'],
    bytes: Buffer,
    advance: (length: ReturnType<typeof seconds>) => void,
  ) => Promise<void>;
}

function reasonOf(outcome: Awaited<ReturnType<typeof receive>>['outcome']): string {
  if (outcome instanceof Error) return outcome.message;
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind;
}

/** Content that looks like the delimiters around it. */
const similarHeads = fc
  .array(
    fc.constantFrom('\r', '\n', '\r\n', '-', '--', '--fixture', '--fixture-boundary', 'x', '\0', '\xff'),
    {
      maxLength: 30,
    },
  )
  .map((pieces) => Buffer.from(pieces.join(''), 'latin1'));

describe('A form', () => {
  it('is read the same for any split of its bytes, and any archive', async () => {
    const check = fc.asyncProperty(
      similarHeads,
      fc.array(fc.nat(), { maxLength: 12 }),
      async (bytes, offsets) => {
        const { outcome } = await receive([text('title', '日本'), { ...ARCHIVE, body: bytes }], {
          send: async (body, whole) => {
            const at = [0, ...offsets.map((offset) => offset % whole.length).toSorted((a, b) => a - b)];
            for (const [n, from] of at.entries()) body.write(whole.subarray(from, at[n + 1] ?? whole.length));
            body.end();
          },
        });
        if (outcome instanceof Error || outcome.kind !== 'received') throw new TypeError(reasonOf(outcome));
        expect(outcome.fields).to.deep.equal(['title=日本', 'archive: a.zip application/zip']);
        expect(outcome.archive.file).to.equal(bytes.toString('latin1'));
      },
    );
    await fc.assert(check, { numRuns: 100 });
  });

  it('gives its reader parts without a name or a file’s name, and texts that are cut or unreadable', async () => {
    const parts: readonly (readonly [FormPart, string])[] = [
      [
        { name: '', type: 'application/octet-stream', body: '' },
        'undefined: undefined application/octet-stream',
      ],
      [{ ...ARCHIVE, name: '' }, 'undefined: a.zip application/zip'],
      [
        { ...ARCHIVE, filename: '', type: 'application/octet-stream' },
        'archive: undefined application/octet-stream',
      ],
      [{ ...ARCHIVE, filename: '' }, 'archive=bytes'],
      [{ ...ARCHIVE, filename: 'a%22\u0085.zip' }, 'archive: a"\u0085.zip application/zip'],
      [{ name: 'archive', filename: 'a.zip', body: '' }, 'archive: a.zip text/plain'],
      [text(''), 'undefined=x'],
      [text('title', Uint8Array.of(0x61, 0xff)), 'title=a\ufffd'],
      [{ ...text('title'), type: 'text/plain; charset=none' }, 'title=undefined'],
      [text('title', 'x'.repeat(70_000)), `title=${'x'.repeat(65_537)}…`],
    ];
    for (const [part, expected] of parts) {
      const reader = new Reader();
      await receive([part, ARCHIVE], { reader });
      expect(reader.seen[0]).to.equal(expected);
    }
  });

  it('skips parts that are not form-data', async () => {
    const reader = new Reader();
    const heads = ['Content-Disposition: attachment; name="x"', 'Content-Type: application/zip'];
    const { outcome } = await receive([...heads.map((head) => ({ ...text('x'), head })), ARCHIVE], {
      reader,
    });
    expect([reasonOf(outcome), reader.seen]).to.deep.equal(['received', ['archive: a.zip application/zip']]);
    const many = Array.from({ length: 100 }, () => ({ ...text('x'), head: 'A: b' }));
    expect(reasonOf((await receive([...many.slice(1), ARCHIVE])).outcome)).to.equal('received');
    expect(reasonOf((await receive([...many, ARCHIVE])).outcome)).to.equal('broken');
  });

  it('stores nothing if it is refused at any point, and answers with the first reason', async () => {
    const broken = { ...ARCHIVE, head: 'no head' };
    const cases: readonly (readonly [readonly FormPart[], string])[] = [
      [[], 'no_archive'],
      [[text('title')], 'no_archive'],
      [[text('refused'), broken], 'field'],
      [[ARCHIVE, text('refused'), broken], 'field'],
      [[ARCHIVE, { ...ARCHIVE, name: 'refused' }, broken], 'file'],
      [[{ ...ARCHIVE, name: 'refused', filename: '', type: 'application/octet-stream' }], 'file'],
      [[ARCHIVE, text('last')], 'end'],
      [[ARCHIVE, ARCHIVE], 'broken'],
      [[ARCHIVE, broken], 'broken'],
      [[ARCHIVE, text('throws')], 'a defect'],
      [[{ ...ARCHIVE, body: 'x'.repeat(1_001) }], 'archive_too_large'],
      [[{ ...ARCHIVE, body: 'x'.repeat(1_000) }], 'received'],
      [[ARCHIVE, text('title', 'x'.repeat(1_100_000))], 'too_long'],
    ];
    for (const [parts, reason] of cases) {
      const { outcome, stored } = await receive(parts);
      expect(reasonOf(outcome)).to.equal(reason);
      expect(stored.size, reason).to.equal(reason === 'received' ? 1 : 0);
    }
  });

  it('stores nothing if it stalls, breaks off, or its archive cannot be stored', async () => {
    const ends: readonly (readonly [string, ReceiveWith])[] = [
      [
        'stalled',
        {
          send: async (body, bytes, advance) => {
            body.write(bytes.subarray(0, -5));
            await turns();
            advance(seconds(30));
          },
        },
      ],
      [
        'stalled',
        {
          send: async (body, bytes, advance) => {
            body.write(bytes.subarray(0, 130));
            await turns();
            advance(seconds(30));
          },
        },
      ],
      [
        'broken_off',
        {
          send: async (body, bytes) => {
            body.write(bytes.subarray(0, -5));
            await turns();
            body.destroy();
          },
        },
      ],
      [
        'broken',
        {
          send: async (body, bytes) => {
            body.end(bytes.subarray(0, -5));
          },
        },
      ],
      ['full', { fault: new Fault('staging_unavailable', 'full') }],
    ];
    for (const [reason, options] of ends) {
      const { outcome, stored } = await receive([ARCHIVE], options);
      expect(reasonOf(outcome)).to.equal(reason);
      expect(stored.size, reason).to.equal(0);
    }
  });

  it('fails with the error of a staging that throws before it returns a promise', async () => {
    const form = multipart([ARCHIVE]);
    const { body, request, times } = incoming({ 'content-type': form.contentType });
    const staging: Pick<Staging, 'receive'> = {
      receive: () => {
        throw new Fault('staging_unavailable', 'no folder');
      },
    };
    const options = { ...times, receive: receiveInto(staging), archiveBytes: 1_000 };
    const received = receiveForm(request, new Reader(), options).catch((error: unknown) => error);
    body.end(form.body);
    expect(await received).to.be.an.instanceOf(Fault);
  });

  it('is refused before its end, and the rest stays unread', async () => {
    const { outcome, body } = await receive([text('refused')], {
      send: async (sending, bytes) => {
        sending.write(bytes.subarray(0, -2));
      },
    });
    expect(reasonOf(outcome)).to.equal('field');
    expect([body.destroyed, body.isPaused(), body.listenerCount('data')]).to.deep.equal([false, true, 0]);
  });

  it('is staged in the async context of its request', async () => {
    const bound = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const { staging } = stagingOf();
    const watched = {
      receive: (...args: Parameters<Staging['receive']>) => {
        seen.push(bound.getStore());
        return staging.receive(...args);
      },
    } as Staging;
    const form = multipart([text('title'), ARCHIVE]);
    const { body, request, times } = incoming({ 'content-type': form.contentType });
    const options = { ...times, receive: receiveInto(watched), archiveBytes: 1_000 };
    const receiving = bound.run('mine', () => receiveForm(request, new Reader(), options));
    await turns();
    bound.run('of the connection', () => body.end(form.body));
    expect(reasonOf(await receiving)).to.equal('received');
    expect(seen).to.deep.equal(['mine']);
  });

  it('is broken without a boundary in its type', async () => {
    const { contentType, body: bytes } = multipart([ARCHIVE]);
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=a b', 'no type', contentType]) {
      const { body, request, times } = incoming({ 'content-type': type });
      const options = { ...times, receive: receiveInto(stagingOf().staging), archiveBytes: 1_000 };
      const receiving = receiveForm(request, new Reader(), options);
      body.end(bytes);
      expect(reasonOf(await receiving), type).to.equal(type === contentType ? 'received' : 'broken');
    }
  });
});
