import { AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { ManifestEntry, Publication } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { loopTurns, outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { Exchange, ViewerContext } from '../src/exchange.ts';
import { Bodies } from '../src/sending/bodies.ts';
import { sendBody } from '../src/sending/send-file.ts';
import { PUBLICATION, storedFile, toolsOver } from './stored-file.ts';

const MAX_CACHE = 64 * MAX_READ;
const PIECE = 65_536;

/** A response over HTTP/2 that records what is written to it, and accepts everything. */
class RecordingResponse extends EventEmitter {
  readonly ends: (string | Buffer)[] = [];
  readonly writes: number[] = [];
  headersSent = false;
  destroyed = false;
  /** The written bytes that its client has not read. */
  writableLength = 0;
  isRead = true;

  writeHead(): this {
    this.headersSent = true;
    return this;
  }

  write(piece: Uint8Array): boolean {
    this.writes.push(piece.length);
    return true;
  }

  end(body?: string | Buffer): this {
    if (body !== undefined) this.ends.push(body);
    if (!this.isRead) this.writableLength = body?.length ?? 0;
    return this;
  }
}

/** Sets up a file of a given length, and how many bytes may be unread before answers are sent in pieces. */
function setUp(length: number, room: number, method: ManifestEntry['method'] = 'stored') {
  outgoingBytes.memory = 16 * room;
  const content = Buffer.alloc(length, 'tide');
  const { bytes, entry, file, formOf } = storedFile(content, method);
  const form = formOf(false);
  const storage = { reads: [] as number[], ended: false, hold: undefined as Promise<void> | undefined };
  const read = async (_publication: Publication, at: number, count: number) => {
    storage.reads.push(count);
    await storage.hold;
    if (storage.ended) return { kind: 'expired' };
    return { kind: 'bytes', bytes: bytes.subarray(at, at + count) };
  };
  const tools = toolsOver(read);
  const bodies = new Bodies(MAX_CACHE);
  const context = {
    bodies,
    tools,
    settings: { clientAddress: () => '192.0.2.1' },
    useCases: { visit: async () => ({ kind: 'published' }) },
  } as unknown as ViewerContext;
  const send = async (from = 0, to = length, response = new RecordingResponse()) => {
    const request = { httpVersionMajor: 2 };
    const asyncContext = new AsyncResource('Test');
    const exchange = { request, response, context, asyncContext, allowsCors: true } as unknown as Exchange;
    const answer = { publication: PUBLICATION, file, form, status: 200, headers: [], from, to };
    await sendBody(exchange, answer);
    // Small ones end in the same turn of the event loop.
    await setImmediate();
    return { response, ends: response.ends.map((end) => end.length), writes: response.writes };
  };
  const warm = async (): Promise<void> => {
    const { signal } = new AbortController();
    const source = {
      ...tools,
      publication: PUBLICATION,
      entry,
      client: 'a',
      signal,
      outgoing: outgoingBytes,
    };
    await bodies.load(source, form);
    storage.reads.length = 0;
  };
  return { content, storage, send, warm };
}

describe('a body', () => {
  const { memory } = outgoingBytes;
  afterEach(() => {
    outgoingBytes.memory = memory;
    expect(outgoingBytes.bytes, 'counted in the end').to.equal(0);
  });

  for (const isHot of [false, true]) {
    describe(isHot ? 'in memory' : 'in storage', () => {
      it('is sent whole up to 64 KiB', async () => {
        for (const [length, kind] of [
          [8_192, 'string'],
          [8_193, 'object'],
          [PIECE, 'object'],
        ] as const) {
          const { content, storage, send, warm } = setUp(length, length);
          if (isHot) await warm();
          const { response, ends, writes } = await send();
          expect([ends, writes]).to.deep.equal([[length], []]);
          expect(Buffer.from(response.ends[0] ?? '').equals(content)).to.equal(true);
          expect(response.ends[0]).to.be.a(kind === 'string' ? 'string' : 'Uint8Array');
          expect(storage.reads).to.deep.equal(isHot ? [] : [length]);
        }
      });

      it('is sent whole up to a little more than 1 MiB if there is room, and counts until it is sent', async () => {
        for (const length of [PIECE + 1, MAX_READ]) {
          const { storage, send, warm } = setUp(length, length);
          if (isHot) await warm();
          const unread = new RecordingResponse();
          unread.isRead = false;
          const { response, ends, writes } = await send(0, length, unread);
          expect([ends, writes]).to.deep.equal([[length], []]);
          expect(outgoingBytes.bytes).to.equal(length);
          response.emit('close');
          expect(outgoingBytes.bytes).to.equal(0);
          expect(response.eventNames()).to.deep.equal([]);
          expect(storage.reads).to.deep.equal(isHot ? [] : [length]);
        }
      });

      it('is sent in pieces if there is no room', async () => {
        const { storage, send, warm } = setUp(PIECE + 1, PIECE);
        if (isHot) await warm();
        const { response, ends, writes } = await send();
        expect([ends, writes]).to.deep.equal([[], [PIECE, 1]]);
        expect(storage.reads).to.deep.equal(isHot ? [] : [PIECE, 1]);
        response.emit('close');
      });

      it('is sent in copies if a longer part of it is requested', async () => {
        const length = 4 * MAX_READ;
        const { storage, send, warm } = setUp(length, MAX_CACHE, 'deflated');
        if (isHot) await warm();
        for (const [from, to, count] of [
          [MAX_READ, 2 * MAX_READ + 64, 0],
          [MAX_READ, 2 * MAX_READ + 65, 17],
        ] as const) {
          const { response, ends, writes } = await send(from, to);
          expect([ends.length, writes.length], `${to}`).to.deep.equal(count === 0 ? [1, 0] : [0, count]);
          response.emit('close');
        }
        expect(storage.reads).to.have.length(isHot ? 0 : 1);
      });
    });
  }

  it('is not read again for waiting requests if there is no room, but sent in copies', async () => {
    const { storage, send, warm } = setUp(PIECE + 1, PIECE);
    const { promise, resolve } = Promise.withResolvers<void>();
    storage.hold = promise;
    const warming = warm();
    const sending = send();
    await setImmediate();
    expect(storage.reads).to.deep.equal([PIECE + 1]);
    resolve();
    await warming;
    expect((await sending).writes).to.deep.equal([PIECE, 1]);
    expect(storage.reads).to.deep.equal([]);
  });

  it('is copied if a small part is sent, so that a slow viewer does not hold the whole', async () => {
    const { content, send, warm } = setUp(MAX_READ, MAX_CACHE);
    await warm();
    for (const [length, isCopy] of [
      [PIECE, true],
      [PIECE + 1, false],
    ] as const) {
      const { response } = await send(5, 5 + length);
      const [part] = response.ends as Buffer[];
      expect(part?.equals(content.subarray(5, 5 + length))).to.equal(true);
      expect((part?.buffer.byteLength ?? 0) < MAX_READ).to.equal(isCopy);
      response.emit('close');
    }
  });

  it('is sent whole only if there is still room at its turn', async () => {
    const { send, warm } = setUp(MAX_READ, MAX_READ);
    await warm();
    loopTurns.takeNow();
    const responses = [new RecordingResponse(), new RecordingResponse()];
    for (const response of responses) response.isRead = false;
    const sent = await Promise.all(responses.map((response) => send(0, MAX_READ, response)));
    expect(sent.map(({ ends }) => ends)).to.deep.equal([[MAX_READ], []]);
    expect(sent[1]?.writes).to.have.length(64);
    for (const response of responses) response.emit('close');
  });

  it('of a small file waits neither for room nor for the turns of large ones', async () => {
    let waiting = 200;
    const begin = (): void => {
      waiting -= 1;
    };
    for (let n = waiting; n > 0; n -= 1) loopTurns.queue(begin);
    for (const [length, writes] of [
      [16_384, []],
      [PIECE, [16_384, 16_384, 16_384, 16_384]],
    ] as const) {
      const { send, warm } = setUp(length, 1);
      await warm();
      expect((await send(0, length)).writes).to.deep.equal(writes);
      expect(waiting).to.be.greaterThan(100);
    }
    while (waiting > 0) await setImmediate();
  });

  it('is not sent to a viewer who has left, and holds nothing', async () => {
    const { storage, send, warm } = setUp(MAX_READ, MAX_CACHE);
    const closed = new RecordingResponse();
    closed.destroyed = true;
    await send(0, MAX_READ, closed).catch((error: unknown) =>
      expect(error).to.have.property('name', 'AbortError'),
    );
    expect([closed.ends, closed.writes]).to.deep.equal([[], []]);
    expect(storage.reads).to.deep.equal([]);
    await warm();
    await send(0, MAX_READ, closed);
    expect(outgoingBytes.bytes).to.equal(0);
  });

  it('gets another answer once its role has ended', async () => {
    const { storage, send } = setUp(100, MAX_CACHE);
    storage.ended = true;
    const response = new RecordingResponse();
    const thrown = await send(0, 100, response).catch((error: unknown) => error);
    expect(thrown).to.have.deep.property('ended', { kind: 'expired' });
    expect(response.headersSent).to.equal(false);
  });
});
