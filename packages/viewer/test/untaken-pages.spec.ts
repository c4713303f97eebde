import { EventEmitter } from 'node:events';
import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { Exchange } from '../src/exchange.ts';
import { sendForbiddenLine, sendPlainPage, sendRedirect } from '../src/pages/answers.ts';

/** A response over HTTP/2 whose client reads nothing. */
class UnreadResponse extends EventEmitter {
  writableLength = 0;
  destroyed = false;

  writeHead(): this {
    return this;
  }

  end(body: Buffer | undefined): void {
    this.writableLength = body?.length ?? 0;
  }
}

describe('an answer that is not a file of a site', () => {
  it('counts among the bytes that are not sent yet', () => {
    for (const [name, send] of Object.entries({
      page: (exchange: Exchange) => sendPlainPage(exchange, 404, 'not_found'),
      line: (exchange: Exchange) => sendForbiddenLine(exchange, 'password_required'),
      redirect: (exchange: Exchange) =>
        sendRedirect(exchange, { status: 302, location: 'https://a.example/' }),
    })) {
      const response = new UnreadResponse();
      const settings = { clientAddress: () => '192.0.2.1', service: { name: 'Pinfold' } };
      const request = { method: 'GET', headers: {}, url: '/', httpVersionMajor: 2 };
      const exchange = {
        request,
        response,
        allowsCors: true,
        context: { settings },
      } as unknown as Exchange;
      send(exchange);
      expect(outgoingBytes.bytes, name).to.equal(response.writableLength);
      expect(response.writableLength > 0, name).to.equal(name !== 'redirect');
      response.emit('close');
      expect(outgoingBytes.bytes, name).to.equal(0);
    }
  });
});
