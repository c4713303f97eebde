import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type Exchange, endTogether, workTogether } from '../src/exchange.ts';

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
