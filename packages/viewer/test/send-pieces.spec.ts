import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { MAX_READ } from '@pinfold/core/adapter';
import { EndedMeanwhile } from '@pinfold/http/internal';
import { expect } from 'chai';
import { type Exchange, signalOf } from '../src/exchange.ts';
import { sendPieces } from '../src/sending/send-file.ts';
import { PUBLICATION, storedFile } from './stored-file.ts';

/** A response whose viewer reads a piece only when the test wants it. */
class SlowResponse extends EventEmitter {
  readonly sent: string[] = [];
  headersSent = false;
  destroyed = false;
  ended = false;

  writeHead(status: number): this {
    this.headersSent = true;
    this.sent.push(String(status));
    return this;
  }

  write(piece: Uint8Array): boolean {
    this.sent.push(Buffer.from(piece).toString());
    return false;
  }

  end(): this {
    this.ended = true;
    return this;
  }

  destroy(): this {
    this.destroyed = true;
    this.emit('close');
    return this;
  }
}

const { file, formOf } = storedFile(Buffer.from('tide'));
const RANGE = { from: 0, to: 4 };
const ANSWER = { publication: PUBLICATION, file, form: formOf(false), status: 200, headers: [], ...RANGE };

function setUp(visit: () => Promise<unknown> = async () => ({ kind: 'published' })) {
  const response = new SlowResponse();
  const context = { useCases: { visit }, settings: { clientAddress: () => '192.0.2.1' }, bodies: {} };
  const exchange = {
    request: {},
    response: response as unknown as ServerResponse,
    context,
    allowsCors: true,
  } as unknown as Exchange;
  const calls: string[] = [];
  async function* pieces(signal: AbortSignal, fail?: Error): AsyncGenerator<Uint8Array> {
    for (const name of ['a', 'b', 'c']) {
      signal.throwIfAborted();
      calls.push(name);
      yield Buffer.from(name);
      if (fail !== undefined) throw fail;
    }
  }
  /** Sends the pieces of a body. */
  const send = (piecesOf: (signal: AbortSignal) => AsyncIterable<Uint8Array>): Promise<void> => {
    Object.assign(context.bodies, { pieces: ({ signal }: { signal: AbortSignal }) => piecesOf(signal) });
    return sendPieces(exchange, ANSWER);
  };
  return { response, exchange, calls, pieces, send };
}

describe('a body sent piece by piece', () => {
  it('requests the next piece only once the last was sent', async () => {
    const { response, exchange, calls, pieces, send } = setUp();
    const sending = send(pieces);
    for (const taken of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await setImmediate();
      expect(calls).to.deep.equal(taken);
      response.emit('drain');
    }
    await sending;
    expect(getEventListeners(signalOf(exchange), 'abort')).to.deep.equal([]);
    expect(response.sent).to.deep.equal(['200', 'a', 'b', 'c']);
    expect(response.ended).to.equal(true);
    response.emit('close');
    expect(response.eventNames()).to.deep.equal([]);
  });

  it('requests no more pieces once its viewer has left, and holds nothing', async () => {
    const { response, calls, pieces, send } = setUp();
    const sending = send(pieces);
    await setImmediate();
    response.destroy();
    await sending;
    expect(calls).to.deep.equal(['a']);
    expect(response.ended).to.equal(false);
    expect(response.eventNames()).to.deep.equal([]);
  });

  it('is not begun for a viewer who has left already', async () => {
    const { response, calls, pieces, send } = setUp();
    response.destroyed = true;
    await send(pieces);
    expect(calls).to.deep.equal([]);
  });

  it('breaks off if the role ends in the middle, and gets another answer if it ends before', async () => {
    const ended = new EndedMeanwhile({ kind: 'unknown' });
    const { response, pieces, send } = setUp();
    const sending = send((signal) => pieces(signal, ended));
    await setImmediate();
    response.emit('drain');
    await sending;
    expect([response.destroyed, response.ended]).to.deep.equal([true, false]);
    const before = setUp();
    const sendingNone = before.send(() => {
      throw ended;
    });
    expect(await sendingNone.catch((error: unknown) => error)).to.equal(ended);
    expect(before.response.sent).to.deep.equal([]);
  });

  it('requests no more pieces if its viewer leaves in the middle of a write', async () => {
    const { response, calls, pieces, send } = setUp();
    response.write = () => {
      response.destroy();
      return false;
    };
    await send(pieces);
    expect(calls).to.deep.equal(['a']);
  });

  it('checks the role before each further MiB, but not before the first', async () => {
    const maxPiece = MAX_READ;
    for (const [lengths, checks] of [
      [[maxPiece + 1], []],
      [[maxPiece - 1, 1], []],
      [[maxPiece, 1], [1]],
      [
        [maxPiece, 1, maxPiece - 1, 1],
        [1, 3],
      ],
      [[1, maxPiece], [1]],
    ] as const) {
      let taken = 0;
      const checked: number[] = [];
      const { response, send } = setUp(async () => {
        checked.push(taken);
        return { kind: 'published' };
      });
      response.write = () => true;
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (const length of lengths) {
          yield new Uint8Array(length);
          taken += 1;
        }
      }
      await send(pieces);
      expect(checked, String(lengths)).to.deep.equal(checks);
      expect(response.ended).to.equal(true);
    }
  });

  it('breaks off once its role has ended', async () => {
    const { response, send } = setUp(async () => ({ kind: 'expired' }));
    response.write = () => true;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(MAX_READ);
      yield Uint8Array.of(1);
    }
    await send(pieces);
    expect([response.destroyed, response.ended]).to.deep.equal([true, false]);
  });

  it('fails as its source does', async () => {
    const { response, pieces, send } = setUp();
    const defect = new TypeError('a defect');
    const sending = send((signal) => pieces(signal, defect));
    await setImmediate();
    response.emit('drain');
    expect(await Promise.resolve(sending).catch((error: unknown) => error)).to.equal(defect);
    expect(response.ended).to.equal(false);
  });
});
