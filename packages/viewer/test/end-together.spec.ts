import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type Exchange, endTogether, workTogether } from '../src/exchange.ts';
import { createViewer } from '../src/index.ts';
import { openRig } from './rig.ts';

const requester = new AsyncLocalStorage<string>();

const exchangeOf = (response: object) => ({ response, asyncContext: new AsyncResource('Test') }) as Exchange;

function responses(log: unknown[]) {
  class RecordingResponse {
    readonly writableEnded = true;
    end(text: string, encoding: string): void {
      log.push([text, encoding, requester.getStore()]);
    }
  }
  return () => exchangeOf(new RecordingResponse());
}

describe('answers of one turn of the event loop', () => {
  it('end one after another, each in the context of its request', async () => {
    const log: unknown[] = [];
    const makeExchange = responses(log);
    const first = requester.run('Ana', makeExchange);
    const second = requester.run('Ben', makeExchange);
    endTogether(first, 'tide');
    endTogether(second);
    expect(log).to.deep.equal([]);
    await setImmediate();
    const both = [
      ['tide', 'latin1', 'Ana'],
      ['', 'latin1', 'Ben'],
    ];
    expect(log).to.deep.equal(both);
    endTogether(makeExchange(), 'ebb');
    await setImmediate();
    expect(log).to.deep.equal([...both, ['ebb', 'latin1', undefined]]);
  });

  it('are made without a pause once all requests are read, and end after that', async () => {
    const log: unknown[] = [];
    const work = (asyncContext: AsyncResource): void => {
      queueMicrotask(() => log.push('paused'));
      log.push(requester.getStore());
      const response = { end: () => log.push(`${requester.getStore()} ends`), writableEnded: true };
      endTogether({ response: Object.create(response), asyncContext } as Exchange);
    };
    requester.run('Ana', () => workTogether(work));
    requester.run('Ben', () => workTogether(work));
    expect(log).to.deep.equal([]);
    await setImmediate();
    expect(log).to.deep.equal(['Ana', 'Ben', 'Ana ends', 'Ben ends', 'paused', 'paused']);
  });

  it('end at once if an app has replaced `end`, whose error the caller gets', () => {
    const exchange = responses([])();
    exchange.response.end = () => {
      throw new Error('the session cannot be saved');
    };
    expect(() => endTogether(exchange, 'tide')).to.throw('the session cannot be saved');
  });

  it('end even if the previous one throws, whose response is destroyed and error logged', async () => {
    const log: unknown[] = [];
    const makeExchange = responses(log);
    let isDestroyed = false;
    const broken = exchangeOf(
      Object.create({
        end: () => {
          throw new Error('a listener failed');
        },
        destroy: () => {
          isDestroyed = true;
        },
      }),
    );
    const errors = await consoleErrorsOf(async () => {
      endTogether(makeExchange(), 'flood');
      endTogether(broken);
      endTogether(makeExchange(), 'ebb');
      await setImmediate();
    });
    expect(log.map((ended) => (ended as unknown[])[0])).to.deep.equal(['flood', 'ebb']);
    expect(isDestroyed).to.equal(true);
    expect(String(errors)).to.include('a listener failed');
  });
});

/** What is written to `console.error` during the work. */
async function consoleErrorsOf(work: () => Promise<void>): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const { error } = console;
  console.error = (...words) => errors.push(...words);
  try {
    await work();
  } finally {
    console.error = error;
  }
  return errors;
}

/** A response of an adapter of a serverless platform: it has no connection, and ignores the encoding of a text. */
class AdaptedResponse extends ServerResponse {
  #sent = '';

  constructor(request: IncomingMessage) {
    super(request);
    const write = (piece: string | Uint8Array): boolean => {
      this.#sent += Buffer.from(piece as string).toString('latin1');
      return true;
    };
    const none = (): void => {};
    const socket = { write, on: none, removeListener: none, destroy: none, cork: none, uncork: none };
    this.assignSocket({ ...socket, writable: true, _writableState: {} } as unknown as Socket);
  }

  get body(): string {
    return Buffer.from(this.#sent.slice(this.#sent.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  }
}

describe('the response of a serverless adapter', () => {
  it('gets the bytes of a small file', async () => {
    const rig = await openRig();
    const id = await rig.publish({ 'index.html': 'Fähre nach Ærø' });
    const viewer = createViewer({ useCases: rig.useCases, publicUrl: `http://localhost:${rig.port}` });
    for (const time of ['first', 'second']) {
      const request = Object.assign(new IncomingMessage(new Socket()), {
        method: 'GET',
        url: '/',
        headers: { host: rig.siteHost(id) },
        rawHeaders: ['Host', rig.siteHost(id)],
      });
      const response = new AdaptedResponse(request);
      viewer(request, response);
      while (!response.writableEnded) await setImmediate();
      expect([response.statusCode, response.body], time).to.deep.equal([200, 'Fähre nach Ærø']);
    }
  });
});
