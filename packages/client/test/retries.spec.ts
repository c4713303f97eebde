import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { PinfoldClient } from '@pinfold/client';
import { expect } from 'chai';
import { ARCHIVE, failure, ID, PIN, PIN_ANSWER, PUBLISHED, problem, STOPPED, WAIT_1_S } from './answers.ts';
import { type Answer, clientOf, openScriptedServer, openServer, server } from './scripted-server.ts';

describe('the retries of PinfoldClient', () => {
  beforeEach(openServer);

  const calls: Readonly<Record<string, (client: PinfoldClient) => Promise<unknown>>> = {
    publish: (client) => client.publish(ARCHIVE, { title: 'T', idempotencyKey: 'mine' }),
    check: (client) => client.check(ARCHIVE),
    get: (client) => client.get(ID),
    title: (client) => client.update(ID, { title: 'T' }),
    password: (client) => client.update(ID, { password: null }),
    renew: (client) => client.update(ID, { reset_expiration: true }),
    stop: (client) => client.stop(ID),
    list: (client) => client.listPage(),
    limits: (client) => client.limits(),
  };

  const temporary: Readonly<Record<string, readonly [answer: Answer, ...calls: readonly string[]]>> = {
    'a cut connection': ['cut', 'publish', 'check', 'get', 'title', 'password', 'list', 'limits'],
    'a cut answer': ['cut in the body', 'publish', 'get', 'list'],
    "a proxy's 502": [{ status: 502, body: '<html>' }, 'publish', 'check', 'get', 'list'],
    '504': [{ status: 504 }, 'publish', 'get'],
    '408': [problem(408, 'request_timeout'), 'publish', 'get'],
    '409 in progress': [problem(409, 'idempotency_in_progress', WAIT_1_S), 'publish'],
    '429': [problem(429, 'rate_limited', WAIT_1_S), ...Object.keys(calls)],
    '503': [problem(503, 'unavailable', WAIT_1_S), ...Object.keys(calls)],
  };
  const answered: Readonly<Record<string, Answer>> = {
    publish: PUBLISHED,
    check: { status: 200, body: { pin: null, archive: { file_count: 1, size: 2 }, warnings: [] } },
    stop: { status: 204 },
    list: { status: 200, body: { pins: [PIN], next_cursor: null } },
    limits: {
      status: 200,
      body: {
        limits: {
          ...{ archive_bytes: 1, expanded_bytes: 1, files: 1, file_bytes: 1, title_characters: 1 },
          ...{
            idempotency_key_characters: 1,
            password_min_characters: 1,
            password_max_bytes: 1,
            lifetime_days: 7,
          },
        },
        rates: { requests: { limit: 1, window_seconds: 1, remaining: 1 }, publications: null },
        quotas: { sites: null, bytes: { limit: 1, used: 0 } },
      },
    },
  };
  it('do not end at once if their timeout is longer than a timer allows', async () => {
    for (const timeout of [2 ** 31, Number.POSITIVE_INFINITY]) {
      server.answer(PIN_ANSWER);
      const client = clientOf({
        timeout,
        retryFor: 0,
        fetch: async (...request) => {
          const answer = await fetch(...request);
          await new Promise((resolve) => setTimeout(resolve, 20));
          request[1]?.signal?.throwIfAborted();
          return answer;
        },
      });
      expect(await client.get(ID), String(timeout)).to.deep.equal({ pin: PIN });
    }
  });

  it('end at once if the server uses another protocol', async () => {
    const plain = await openScriptedServer();
    const url = plain.url.replace('http:', 'https:');
    const error = await failure(clientOf({ url }).get(ID));
    expect(error).to.include({ code: 'network_error', retryable: false });
    expect(plain.requests).to.deep.equal([]);
  });

  it('end at once if the answer is not HTTP', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const error = await failure(clientOf({ url, retryFor: 0 }).get(ID));
    other.close();
    expect(error).to.include({ code: 'network_error', retryable: false });
  });

  for (const code of [
    ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HPE_INVALID_CONSTANT'],
  ]) {
    it(`end at once for ${code}, in the form of each runtime`, async () => {
      const coded = Object.assign(new Error(code), { code });
      for (const reason of [coded, new TypeError('fetch failed', { cause: coded })]) {
        let attempts = 0;
        const fetch = (): Promise<never> => {
          attempts += 1;
          return Promise.reject(reason);
        };
        const error = await failure(clientOf({ fetch }).publish(ARCHIVE, { idempotencyKey: 'mine' }));
        expect(error).to.include({ code: 'network_error', retryable: false, idempotencyKey: 'mine' });
        expect(attempts).to.equal(1);
      }
    });
  }

  for (const [what, [answer, ...repeated]] of Object.entries(temporary)) {
    it(`send the very same request after ${what}`, async () => {
      const all = repeated.map(async (name) => {
        const scripted = await openScriptedServer();
        scripted.answer(answer, answered[name] ?? PIN_ANSWER);
        await calls[name]?.(clientOf({ url: scripted.url }));
        const [first, second, ...more] = scripted.requests;
        expect(more).to.deep.equal([]);
        expect(second, name).to.deep.include({ method: first?.method, path: first?.path, body: first?.body });
        expect(second?.headers['idempotency-key']).to.equal(name === 'publish' ? 'mine' : undefined);
      });
      await Promise.all(all);
    });
  }

  const unrepeated: readonly (readonly [call: string, answer: Answer])[] = [
    ['title', 'cut in the body'],
    ['title', { status: 502, body: '<html>' }],
    ['password', { status: 503, body: '<html>' }],
    ['renew', 'cut'],
    ['renew', { status: 504 }],
    ['renew', { status: 429, headers: WAIT_1_S }],
  ];
  for (const [name, answer] of unrepeated) {
    it(`make no change twice: ${name} after ${JSON.stringify(answer)}`, async () => {
      server.answer(answer, PIN_ANSWER);
      const error = await failure(calls[name]?.(clientOf()) as Promise<unknown>);
      expect(error.retryable).to.equal(true);
      expect(server.requests).to.have.length(1);
    });
  }

  it('repeat a change only soon after the first failure', async () => {
    server.answer(problem(503, 'unavailable', { 'retry-after': '11' }));
    const waits: number[] = [];
    const abort = new AbortController();
    const onRetry = ({ wait }: { readonly wait: number }): void => {
      waits.push(wait);
      abort.abort('seen');
    };
    const updating = clientOf({ onRetry }).update(ID, { title: 'T' }, { signal: abort.signal });
    expect(await updating.catch((reason: unknown) => reason)).to.equal('seen');
    expect(waits).to.deep.equal([11_000]);
  });

  it('check after a lost answer whether the publication is stopped', async () => {
    server.answer('cut', STOPPED);
    await clientOf().stop(ID);
    server.answer('cut in the body', PIN_ANSWER, { status: 502 }, 'cut', PIN_ANSWER, { status: 204 });
    await clientOf().stop(ID);
    server.answer('cut', PIN_ANSWER, problem(409, 'invalid_state'), STOPPED);
    await clientOf().stop(ID);
    expect(server.requests.map(({ method }) => method).join(' ')).to.equal(
      'DELETE GET DELETE GET DELETE GET GET DELETE DELETE GET DELETE GET',
    );
  });

  it('do not report an already stopped publication as stopped by this call', async () => {
    server.answer(problem(409, 'invalid_state', {}, { retryable: false }));
    const error = await failure(clientOf().stop(ID));
    expect(error).to.include({ code: 'invalid_state', retryable: false });
  });

  it('wait as long as Retry-After says if there is time, and throw at once otherwise', async () => {
    const waits: number[] = [];
    const options = { retryFor: 5_000, onRetry: ({ wait }: { readonly wait: number }) => waits.push(wait) };
    const date = new Date(Date.now() + 2_500).toUTCString();
    server.answer(problem(503, 'unavailable', { 'retry-after': date }), PIN_ANSWER);
    await clientOf(options).get(ID);
    expect(waits[0]).to.be.within(1, 3_000);
    server.answer(problem(503, 'unavailable', { 'retry-after': '6' }));
    expect(await failure(clientOf(options).get(ID))).to.include({ retryAfter: 6, retryable: true });
    server.answer(problem(503, 'unavailable', { 'retry-after': '0' }));
    expect(await failure(clientOf({ retryFor: 0 }).get(ID))).to.include({ retryAfter: 0 });
    expect(waits).to.have.length(1);
  });

  it('end an attempt that takes too long, before the headers and in the body', async () => {
    for (const answer of ['silent', 'silent in the body'] as const) {
      server.answer(answer, PIN_ANSWER);
      expect(await clientOf({ timeout: 200 }).get(ID)).to.deep.equal({ pin: PIN });
      server.answer(answer);
      const error = await failure(clientOf({ timeout: 200, retryFor: 0 }).get(ID));
      expect(error).to.include({ code: 'timeout', status: undefined, retryable: true });
    }
  });
});
