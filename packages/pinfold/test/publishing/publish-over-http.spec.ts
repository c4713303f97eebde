import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, type Clock, type Duration } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { CommandFailure } from '../../src/command-line/failures.ts';
import { GivenUp } from '../../src/publishing/persist.ts';
import type { Published } from '../../src/publishing/publication.ts';
import { publishOverHttp } from '../../src/publishing/publish-over-http.ts';

type Answer = readonly [status: number, headers: Record<string, string>, body: unknown] | 'cut';

const published = { pin: { id: 'x', shared_url: 'https://pin.example/s/x' }, warnings: [] };
const done: Answer = [201, {}, published];

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

describe('publishOverHttp', () => {
  let server: Server;
  let answers: Answer[];
  let bodies: string[];
  let keys: (string | undefined)[];
  let pauses: number[];
  let sendings: number[];

  beforeEach(async () => {
    [answers, bodies, keys, pauses, sendings] = [[], [], [], [], []];
    server = createServer(async (request, response) => {
      const body = (await buffer(request)).toString('latin1');
      bodies.push(body.replaceAll(/------[^\r\n]+/g, 'boundary'));
      keys.push(request.headers['idempotency-key'] as string | undefined);
      const answer = answers.shift() ?? 'cut';
      if (answer === 'cut') response.destroy();
      else
        response.writeHead(answer[0], { connection: 'close', ...answer[1] }).end(JSON.stringify(answer[2]));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.close();
  });

  function publish(...prepared: readonly Answer[]): Promise<Published> {
    answers.push(...prepared);
    let now = START;
    const clock: Clock = {
      now: () => now,
      sleep: async (length: Duration) => {
        pauses.push(length / 1_000);
        now = after(now, length);
      },
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const wish = {
      filename: 'site.zip',
      bytes: new Uint8Array([1, 2]),
      title: 'T',
      idempotencyKey: 'the key',
    };
    return publishOverHttp(
      { url, apiKey: 'secret' },
      wish,
      clock,
      () => undefined,
      (sent) => {
        sendings.push(sent);
      },
    );
  }

  async function failure(...prepared: readonly Answer[]): Promise<Error> {
    try {
      await publish(...prepared);
    } catch (error) {
      if (error instanceof CommandFailure) return error;
      throw error;
    }
    throw new Error('it was published');
  }

  it('answers what the server answered', async () => {
    expect(await publish(done)).to.deep.equal(published);
    expect(pauses).to.deep.equal([]);
  });

  it('tells how much was sent, up to all of it', async () => {
    await publish('cut', done);
    expect(sendings).to.deep.equal([0, 1, 0, 1]);
  });

  it('takes a replay for a publication', async () => {
    expect(await publish([200, { 'idempotent-replayed': 'true' }, published])).to.deep.equal(published);
  });

  const passing: readonly (readonly [name: string, answer: Answer, pause: number])[] = [
    ['a broken connection', 'cut', 0.5],
    [
      '409 in progress',
      [409, { 'retry-after': '5' }, { code: 'idempotency_in_progress', retryable: true }],
      5,
    ],
    ['408', [408, {}, { code: 'request_timeout', retryable: true }], 0.5],
    ['429', [429, { 'retry-after': '7' }, { code: 'rate_limited', retryable: true }], 7],
    ['500', [500, {}, { code: 'internal_error', retryable: true }], 0.5],
    ['503', [503, { 'retry-after': '5' }, { code: 'unavailable', retryable: true }], 5],
    ['503 until a date', [503, { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' }, {}], 9],
    ["a proxy's 502", [502, {}, 'Bad Gateway'], 0.5],
    ['503 for an hour', [503, { 'retry-after': '3600' }, {}], 60],
  ];
  for (const [name, answer, pause] of passing) {
    it(`sends the very same again after ${name}, when it is time`, async () => {
      expect(await publish(answer, done)).to.deep.equal(published);
      expect(pauses).to.deep.equal([pause]);
      expect(keys).to.deep.equal(['the key', 'the key']);
      expect(bodies[1]).to.equal(bodies[0]);
    });
  }

  it('publishes in the end where a node died with the lease of a minute', async () => {
    const inProgress: Answer = [
      409,
      { 'retry-after': '5' },
      { code: 'idempotency_in_progress', retryable: true },
    ];
    const minute = Array<Answer>(12).fill(inProgress);
    expect(await publish([502, {}, 'Bad Gateway'], ...minute, done)).to.deep.equal(published);
    expect(sum(pauses)).to.be.within(60, 120);
  });

  it('waits longer each time, and gives up in the end, two minutes or more after the first failure', async () => {
    const reason = await failure(...Array<Answer>(40).fill([503, {}, { code: 'unavailable' }]));
    expect(pauses.slice(0, 7)).to.deep.equal([0.5, 1, 2, 4, 8, 8, 8]);
    expect(sum(pauses)).to.be.within(120, 180);
    expect(reason).to.be.instanceOf(GivenUp);
    expect(reason.message).to.include('unavailable');
    expect(reason.message).not.to.include('secret');
  });

  it('is not hurried by a Retry-After of nothing', async () => {
    const answer: Answer = [503, { 'retry-after': '0' }, { code: 'unavailable' }];
    await failure(...Array<Answer>(40).fill(answer));
    expect(pauses.slice(0, 3)).to.deep.equal([0.5, 1, 2]);
  });

  it('says what was answered where a proxy says nothing else', async () => {
    const { message } = await failure(...Array<Answer>(40).fill([502, {}, '<html>']));
    expect(message).to.match(/^127\.0\.0\.1:\d+ answered with 502 Bad Gateway\b/);
    expect((await failure([404, {}, '<html>'])).message).to.include('404 Not Found');
  });

  for (const [status, code] of [
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [409, 'idempotency_mismatch'],
    [413, 'archive_too_large'],
    [422, 'invalid_archive'],
  ] as const) {
    it(`does not try again after ${status} ${code}`, async () => {
      const reason = await failure([status, {}, { code, retryable: false, detail: 'Why.' }], done);
      expect(reason).not.to.be.instanceOf(GivenUp);
      expect(reason.message).to.include(code);
      expect(pauses).to.deep.equal([]);
    });
  }

  it('follows no redirect, which would take the key elsewhere', async () => {
    await failure([307, { location: 'http://127.0.0.1:1/' }, {}], done);
    expect(bodies).to.have.length(1);
  });

  it('does not take any page for the answer of a Pinfold', async () => {
    await failure([200, {}, '<html>Welcome to the café</html>'], done);
  });
});
