import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { MAX_READ } from '@pinfold/core/adapter';
import { expect } from 'chai';
import type { Exchange } from '../src/exchange.ts';
import { EndedMeanwhile } from '../src/sending/body-pieces.ts';
import { sendPieces } from '../src/sending/send-pieces.ts';

/** A response whose viewer takes a piece only when told to. */
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

const inService = async () => undefined;

function stage() {
  const response = new SlowResponse();
  const request = { httpVersionMajor: 1 };
  const exchange = { request, response: response as unknown as ServerResponse } as Exchange;
  const asked: string[] = [];
  async function* pieces(left: AbortSignal, fail?: Error): AsyncGenerator<Uint8Array> {
    for (const name of ['a', 'b', 'c']) {
      left.throwIfAborted();
      asked.push(name);
      yield Buffer.from(name);
      if (fail !== undefined) throw fail;
    }
  }
  return { response, exchange, asked, pieces };
}

describe('a body sent piece by piece', () => {
  it('asks for the next piece when the last was taken, and not before', async () => {
    const { response, exchange, asked, pieces } = stage();
    let signal: AbortSignal | undefined;
    const sending = sendPieces(
      exchange,
      200,
      [],
      (left) => {
        signal = left;
        return pieces(left);
      },
      inService,
    );
    for (const taken of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await setImmediate();
      expect(asked).to.deep.equal(taken);
      response.emit('drain');
    }
    expect(await sending).to.equal('over');
    expect(getEventListeners(signal as AbortSignal, 'abort')).to.deep.equal([]);
    expect(response.sent).to.deep.equal(['200', 'a', 'b', 'c']);
    expect(response.ended).to.equal(true);
    expect(response.eventNames()).to.deep.equal([]);
  });

  it('asks for no more once its viewer has left, and holds nothing', async () => {
    const { response, exchange, asked, pieces } = stage();
    const sending = sendPieces(exchange, 200, [], (left) => pieces(left), inService);
    await setImmediate();
    response.destroy();
    expect(await sending).to.equal('over');
    expect(asked).to.deep.equal(['a']);
    expect(response.ended).to.equal(false);
    expect(response.eventNames()).to.deep.equal([]);
  });

  it('is not begun for a viewer who has left already', async () => {
    const { response, exchange, asked, pieces } = stage();
    response.destroyed = true;
    expect(await sendPieces(exchange, 200, [], (left) => pieces(left), inService)).to.equal('over');
    expect(asked).to.deep.equal([]);
  });

  it('breaks off when the role ends in the middle, and is answered otherwise when it ends before', async () => {
    const ended = new EndedMeanwhile({ kind: 'unknown' });
    const { response, exchange, pieces } = stage();
    const sending = sendPieces(exchange, 200, [], (left) => pieces(left, ended), inService);
    await setImmediate();
    response.emit('drain');
    expect(await sending).to.equal('over');
    expect([response.destroyed, response.ended]).to.deep.equal([true, false]);
    const before = stage();
    const outcome = await sendPieces(
      before.exchange,
      200,
      [],
      () => {
        throw ended;
      },
      inService,
    );
    expect(outcome).to.deep.equal({ kind: 'unknown' });
    expect(before.response.sent).to.deep.equal([]);
  });

  it('asks for no more when its viewer leaves in the middle of a write', async () => {
    const { response, exchange, asked, pieces } = stage();
    response.write = () => {
      response.destroy();
      return false;
    };
    expect(await sendPieces(exchange, 200, [], (left) => pieces(left), inService)).to.equal('over');
    expect(asked).to.deep.equal(['a']);
  });

  it('looks at the role before what goes beyond a MiB since it was last looked at, and never before the first', async () => {
    const most = MAX_READ;
    for (const [lengths, looks] of [
      [[most + 1], []],
      [[most - 1, 1], []],
      [[most, 1], [1]],
      [
        [most, 1, most - 1, 1],
        [1, 3],
      ],
      [[1, most], [1]],
    ] as const) {
      const { response, exchange } = stage();
      response.write = () => true;
      let taken = 0;
      const looked: number[] = [];
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (const length of lengths) {
          yield new Uint8Array(length);
          taken += 1;
        }
      }
      await sendPieces(exchange, 200, [], pieces, async () => {
        looked.push(taken);
        return undefined;
      });
      expect(looked, String(lengths)).to.deep.equal(looks);
      expect(response.ended).to.equal(true);
    }
  });

  it('breaks off when it is seen that its role has ended, and is cut off where nobody takes it', async () => {
    const { response, exchange } = stage();
    let timeouts = 0;
    Object.assign(exchange.request, { httpVersionMajor: 2 });
    Object.assign(response, {
      write: () => true,
      setTimeout: () => {
        timeouts += 1;
      },
    });
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(MAX_READ);
      yield Uint8Array.of(1);
    }
    expect(await sendPieces(exchange, 200, [], pieces, async () => ({ kind: 'expired' }))).to.equal('over');
    expect([response.destroyed, response.ended, timeouts]).to.deep.equal([true, false, 1]);
  });

  it('fails as its source does', async () => {
    const { response, exchange, pieces } = stage();
    const defect = new TypeError('a defect');
    const sending = sendPieces(exchange, 200, [], (left) => pieces(left, defect), inService);
    await setImmediate();
    response.emit('drain');
    expect(await Promise.resolve(sending).catch((error: unknown) => error)).to.equal(defect);
    expect(response.ended).to.equal(false);
  });
});
