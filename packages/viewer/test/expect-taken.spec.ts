import { expect } from 'chai';
import type { Exchange } from '../src/exchange.ts';
import { expectTaken } from '../src/sending/send-pieces.ts';

function exchangeOf(httpVersionMajor: number) {
  const timeouts: { readonly after: number; readonly then: () => void }[] = [];
  const response = {
    destroyed: false,
    setTimeout: (after: number, then: () => void) => timeouts.push({ after, then }),
    destroy: () => {
      response.destroyed = true;
    },
  };
  return { timeouts, response, exchange: { request: { httpVersionMajor }, response } as unknown as Exchange };
}

describe('an answer over HTTP/2', () => {
  it('is cut off when nothing of it is taken for 45 seconds', () => {
    const { timeouts, response, exchange } = exchangeOf(2);
    expectTaken(exchange);
    expect(timeouts.map(({ after }) => after)).to.deep.equal([45_000]);
    timeouts[0]?.then();
    expect(response.destroyed).to.equal(true);
  });

  it('is so stream by stream: connections of HTTP/1 have their own watch', () => {
    const { timeouts, exchange } = exchangeOf(1);
    expectTaken(exchange);
    expect(timeouts).to.deep.equal([]);
  });
});
