import { expect } from 'chai';
import { encodeAnswer, html } from '../src/internal.ts';

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
});
