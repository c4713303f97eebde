import { expect } from 'chai';
import { failure, ID, KEY, problem, WAIT_1_S } from './answers.ts';
import { clientOf, openServer, server } from './scripted-server.ts';

const ZIP = { status: 200, body: 'PK and more', headers: { 'content-type': 'application/zip', etag: '"x"' } };

describe('The ZIP that PinfoldClient reads', () => {
  beforeEach(openServer);

  it('is returned as the response itself, requested with the given range', async () => {
    server.answer(ZIP, { ...ZIP, status: 206 });
    const whole = await clientOf().archive(ID);
    expect([whole.status, whole.headers.get('etag'), await whole.text()]).to.deep.equal([
      200,
      '"x"',
      ZIP.body,
    ]);
    expect((await clientOf().archive(ID, { range: 'bytes=0-9' })).status).to.equal(206);
    expect(server.requests.map(({ method, path, headers }) => [method, path, headers.range])).to.deep.equal([
      ['GET', `/api/v1/pins/${ID}/archive`, undefined],
      ['GET', `/api/v1/pins/${ID}/archive`, 'bytes=0-9'],
    ]);
    expect(server.requests[0]?.headers.authorization).to.equal(`Bearer ${KEY}`);
  });

  it('is requested again until the headers of an answer arrive', async () => {
    server.answer('cut', { status: 503, headers: WAIT_1_S }, problem(429, 'rate_limited', WAIT_1_S), ZIP);
    expect(await (await clientOf().archive(ID)).text()).to.equal(ZIP.body);
    expect(server.requests).to.have.length(4);
  });

  it('may take longer than the timeout once its headers have arrived', async () => {
    server.answer({ ...ZIP, body: 'PK', headers: { ...ZIP.headers, 'x-request-id': 'r' } });
    const response = await clientOf({ timeout: 1_000 }).archive(ID);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await response.text()).to.equal('PK');
    server.answer('silent');
    const late = await failure(clientOf({ timeout: 100, retryFor: 0 }).archive(ID));
    expect(late.code).to.equal('timeout');
  });

  it('throws an error for an answer that is not a ZIP, and for a missing range', async () => {
    for (const [answer, code, status] of [
      [problem(409, 'invalid_state', {}, { retryable: false }), 'invalid_state', 409],
      [{ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }, 'invalid_answer', 200],
      [{ status: 302, headers: { location: '/' } }, 'invalid_answer', 302],
      [{ status: 304 }, 'invalid_answer', 304],
      [{ status: 416 }, 'invalid_answer', 416],
    ] as const) {
      server.answer(answer);
      expect(await failure(clientOf().archive(ID)), String(status)).to.include({
        code,
        status,
        retryable: false,
      });
    }
    server.answer({ status: 416 });
    expect((await failure(clientOf().archive(ID))).detail).to.include('range');
  });

  it('ends with the given signal, even after its headers', async () => {
    const reason = { why: 'no longer wanted' };
    const controller = new AbortController();
    server.answer({ ...ZIP, headers: { ...ZIP.headers, 'content-length': '99' } });
    const response = await clientOf().archive(ID, { signal: controller.signal });
    controller.abort(reason);
    expect(await response.text().catch((error: unknown) => error)).to.equal(reason);
    expect(
      await clientOf()
        .archive(ID, { signal: controller.signal })
        .catch((error: unknown) => error),
    ).to.equal(reason);
  });
});
