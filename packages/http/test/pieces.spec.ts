import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { OpenedArchive } from '@pinfold/core';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { archiveAnswer } from '../src/archive-answer.ts';
import { outgoingBytes } from '../src/outgoing-bytes.ts';
import { readPieces, sendPieces } from '../src/pieces.ts';

const PIECES = 4;

/** A client that reads the first pieces immediately; storage never returns the last one. */
class TakingResponse extends EventEmitter {
  taken = 0;
  writableLength = 0;
  destroyed = false;
  writableEnded = false;

  write(): boolean {
    this.taken += 1;
    return true;
  }

  setTimeout(): this {
    return this;
  }
}

describe('sent pieces of a body', () => {
  let read: WeakRef<Uint8Array>[];
  beforeEach(() => {
    read = [];
  });

  function readOne(length: number): Promise<Uint8Array> {
    if (read.length === PIECES) return new Promise(() => {});
    const piece = new Uint8Array(length);
    read.push(new WeakRef(piece));
    return Promise.resolve(piece);
  }

  async function expectNoneHeld(response: TakingResponse): Promise<void> {
    for (let turns = 0; turns < 200 && response.taken < PIECES; turns += 1) await setImmediate();
    expect(response.taken).to.equal(PIECES);
    await collectGarbage();
    expect(read.map((piece) => piece.deref()?.length)).to.deep.equal(Array(PIECES).fill(undefined));
  }

  it('do not stay in memory while the next is read', async () => {
    const response = new TakingResponse();
    const outgoing = outgoingBytes.follow(response as unknown as ServerResponse, '192.0.2.1');
    const pieces = readPieces({ from: 0, to: 64 * 1_048_576 }, outgoing, (_, length) => readOne(length));
    const body = { pieces, outgoing, signal: new AbortController().signal, mayContinue: async () => true };
    void sendPieces(response as unknown as ServerResponse, body);
    await expectNoneHeld(response);
    response.emit('close');
  });

  it('do not stay in memory while the next of an archive is read', async () => {
    const response = new TakingResponse();
    const archive = {
      size: 64 * 1_048_576,
      publication: { id: 'id', sha256: 'sha', originalFilename: 'a.zip' },
      read: async (_: number, length: number) => ({ kind: 'bytes', bytes: await readOne(length) }),
      refusal: async () => undefined,
    } as unknown as OpenedArchive;
    const answer = await archiveAnswer(archive, {
      request: { method: 'GET', headers: {} } as IncomingMessage,
      response: response as unknown as ServerResponse,
      client: '192.0.2.1',
      signal: new AbortController().signal,
      isStillAllowed: async () => true,
    });
    if (!('stream' in answer) || answer.stream === undefined) throw new Error('no stream');
    void sendPieces(response as unknown as ServerResponse, answer.stream);
    await expectNoneHeld(response);
    response.emit('close');
  });
});
