import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import { SystemClock } from '@pinfold/platform-node';
import { expect } from 'chai';
import { encodeAnswer, html, send } from '../src/internal.ts';
import { openHttp2 } from './http2-stage.ts';

const ALWAYS = { 'Cache-Control': 'no-store', 'X-Request-Id': 'id', 'X-Content-Type-Options': 'nosniff' };

describe('An answer', () => {
  it('is written completely, with its length in bytes', () => {
    expect(encodeAnswer({ status: 201, json: { title: 'é' } }, 'id')).to.deep.equal({
      status: 201,
      headers: { ...ALWAYS, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': 14 },
      body: Buffer.from('{"title":"é"}'),
    });
    expect(encodeAnswer({ status: 200, html: html`<p>${'<'}` }, 'id')).to.deep.equal({
      status: 200,
      headers: { ...ALWAYS, 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': 7 },
      body: Buffer.from('<p>&lt;'),
    });
  });

  it('may have no body, and headers that replace the usual ones', () => {
    const { headers, body } = encodeAnswer({ status: 204, headers: { 'Cache-Control': 'private' } }, 'id');
    expect(headers).to.deep.equal({ ...ALWAYS, 'Cache-Control': 'private' });
    expect(body.byteLength).to.equal(0);
  });

  it('before the end of a body has no Connection over HTTP/2, of which Node warns', async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on('warning', listen);
    const { client, close } = await openHttp2((request, response) => {
      void send(request, response, encodeAnswer({ status: 401, json: {} }, 'id'), {
        clock: new SystemClock(),
      });
    });
    try {
      const stream = client.request({ ':method': 'POST', 'content-length': '5000' });
      const [answer] = await once(stream, 'response');
      expect(answer).to.include({ ':status': 401 }).and.not.have.property('connection');
      stream.end('x'.repeat(5_000));
      await once(stream.resume(), 'close');
      expect(warnings).to.deep.equal([]);
    } finally {
      await close();
      process.off('warning', listen);
    }
  });

  it('over HTTP/2 ends before the body, which without a Content-Length ends at the limit of bytes', async () => {
    const received: IncomingMessage[] = [];
    const { client, close } = await openHttp2((request, response) => {
      received.push(request);
      const limits = { clock: new SystemClock(), bytes: 2_000 };
      void send(request, response, encodeAnswer({ status: 401, json: {} }, 'id'), limits);
    });
    try {
      const stream = client.request({ ':method': 'POST' }).on('error', () => {});
      await once(stream.resume(), 'end');
      expect(received.map(({ complete }) => complete)).to.deep.equal([false]);
      stream.write('x'.repeat(3_000));
      await once(stream, 'close');
      expect(stream.rstCode).to.equal(constants.NGHTTP2_NO_ERROR);
    } finally {
      await close();
    }
  });
});
