import { text } from 'node:stream/consumers';
import type { Duration } from '@pinfold/core';
import { expect } from 'chai';
import { registerLogin, waitForKey } from '../../src/api-client/device-login.ts';
import { type Stub, startStub } from '../servers/stub.ts';

const ISSUED = { key: 'pf_a_b', id: 'a', account: 'ada', scopes: ['pins:read'] };

describe('waiting for the key of a login', () => {
  let server: Stub;
  let url: string;
  let requests: string[];
  let answers: { readonly status: number; readonly retryAfter?: string; readonly body: unknown }[];

  beforeEach(async () => {
    [requests, answers] = [[], []];
    server = await startStub(async (request, response) => {
      requests.push(`${request.url} ${await text(request)}`);
      const { status, retryAfter, body } = answers.shift() ?? { status: 500, body: {} };
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      response.end(JSON.stringify(body));
    });
    url = server.url;
  });

  it('waits as long as the server asks, even while the server is busy', async () => {
    const waiting = { status: 202, body: { status: 'waiting' } };
    answers = [
      { ...waiting, retryAfter: '7' },
      waiting,
      { status: 429, retryAfter: '3', body: {} },
      { status: 503, retryAfter: '9999', body: {} },
      { ...waiting, retryAfter: '0' },
      { ...waiting, retryAfter: 'soon' },
      { status: 200, body: { status: 'given', ...ISSUED } },
    ];
    const slept: Duration[] = [];
    const clock = { sleep: async (length: Duration) => void slept.push(length) };
    expect(await waitForKey(url, 's', clock)).to.deep.equal(ISSUED);
    expect(slept).to.deep.equal([7_000, 1_000, 3_000, 30_000, 1_000, 1_000]);
    expect(new Set(requests)).to.deep.equal(new Set(['/manage/connect/key secret=s']));
  });

  it('gives up after ten minutes', async () => {
    answers = Array.from({ length: 30 }, () => ({ status: 503, retryAfter: '30', body: {} }));
    let passed = 0;
    const sleep = async (length: Duration) => {
      passed += length;
    };
    const error: unknown = await waitForKey(url, 's', { sleep }, () => passed).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).to.include('the login was not authorized within ten minutes');
    expect(passed).to.equal(600_000);
  });

  it('registers a login, and reports why the server refuses it', async () => {
    answers = [{ status: 200, body: { status: 'registered' } }];
    await registerLogin(url, 'abc');
    expect(requests).to.deep.equal(['/manage/connect/register request=abc']);
    answers = [{ status: 503, body: { kind: 'refused', message: 'Try again.' } }];
    const error: unknown = await registerLogin(url, 'abc').catch((reason: unknown) => reason);
    expect(String(error)).to.include('503').and.include('Try again.');
  });

  it('refuses a key that no request could send', async () => {
    for (const key of ['pf_a\nb', 'pf_ä', '']) {
      answers = [{ status: 200, body: { ...ISSUED, key } }];
      const clock = { sleep: async () => undefined };
      const error: unknown = await waitForKey(url, 's', clock).catch((reason: unknown) => reason);
      expect(String(error), key).to.include('the answer does not come from Pinfold');
    }
  });

  it('reads only the beginning of an answer, since an unknown server may send any amount', async () => {
    let sent = 0;
    const endless = await startStub((_request, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(65_536, ' ');
      const send = (): void => {
        while (!response.destroyed && sent < 1e9 && response.write(piece)) sent += piece.length;
      };
      response.on('drain', send);
      send();
    });
    const clock = { sleep: async () => undefined };
    const error: unknown = await waitForKey(endless.url, 's', clock).catch((reason: unknown) => reason);
    expect(String(error)).to.include('the answer does not come from Pinfold');
    expect(sent).to.be.below(100_000_000);
  });

  it('ends when the body of an answer does not', async () => {
    const slow = await startStub((_request, response) => void response.writeHead(200).write(' '));
    const { timeout } = AbortSignal;
    AbortSignal.timeout = () => timeout.call(AbortSignal, 50);
    try {
      const error: unknown = await registerLogin(slow.url, 'abc').catch((reason: unknown) => reason);
      expect(String(error)).to.include('does not answer');
    } finally {
      AbortSignal.timeout = timeout;
    }
  });
});
