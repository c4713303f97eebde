import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { pauseAfter } from '../src/events.ts';
import { all, EVENT, failure, ID, problem, WAIT_1_S } from './answers.ts';
import { type Answer, clientOf, openServer, server } from './scripted-server.ts';

describe('events of PinfoldClient', () => {
  beforeEach(openServer);

  it('reads events page after page, each with its cursor, and ends with the newest one', async () => {
    const page = (events: readonly unknown[], next_cursor: string, cursors?: readonly string[]): Answer => ({
      status: 200,
      body: { events, next_cursor, ...(cursors === undefined ? {} : { cursors }) },
    });
    server.answer(
      page([EVENT, EVENT], 'b', ['a', 'b']),
      { status: 503, headers: WAIT_1_S },
      page([EVENT, EVENT], 'd'),
      page([], 'd'),
    );
    const read = await all(clientOf().events({ pin: ID }));
    expect(read.map(({ cursor }) => cursor)).to.deep.equal(['a', 'b', 'b', 'd']);
    expect(read[0]?.event).to.deep.equal(EVENT);
    const path = `/api/v1/events?order=asc&include=cursors&limit=100&pin=${ID}`;
    expect(server.requests.map((requests) => requests.path)).to.deep.equal([
      path,
      `${path}&after=b`,
      `${path}&after=b`,
      `${path}&after=d`,
    ]);
    for (const body of [
      {},
      { events: [], next_cursor: null },
      { events: [5], next_cursor: 'a' },
      { events: [], next_cursor: 'a', cursors: [5] },
    ]) {
      server.answer({ status: 200, body });
      expect((await failure(all(clientOf().events()))).code).to.equal('invalid_answer');
    }
    server.answer(problem(410, 'cursor_expired', {}, { retryable: false }));
    expect(await failure(all(clientOf().events({ after: 'x' })))).to.include({
      code: 'cursor_expired',
      status: 410,
    });
  });

  it('ends at a page of events whose next cursor is its own', async () => {
    const page = { status: 200, body: { events: [EVENT], next_cursor: 'a' } };
    server.answer(page, page, page);
    expect((await failure(all(clientOf().events()))).code).to.equal('invalid_answer');
    expect(server.requests).to.have.length(2);
  });

  it('requests events at most once a second, whatever delay the server requests', () => {
    for (const [value, pause] of [
      ['0', 900],
      ['-1', 900],
      ['-999', 900],
      ['later', 900],
      ['1e400', 900],
      ['3', 3_000],
    ] as const) {
      expect(pauseAfter(new Headers({ 'retry-after': value }), 100), value).to.equal(pause);
    }
    expect(pauseAfter(new Headers(), 5_000)).to.equal(0);
  });

  it('waits for further events as long as the server requests', async () => {
    const page = (events: readonly unknown[], next_cursor: string, headers = {}): Answer => ({
      status: 200,
      body: { events, next_cursor },
      headers,
    });
    server.answer(page([], 'start', WAIT_1_S), page([EVENT], 'a'), 'silent');
    const controller = new AbortController();
    const reading = clientOf().events({ after: 'latest', follow: true, signal: controller.signal });
    expect((await reading.next()).value).to.deep.equal({ event: EVENT, cursor: 'a' });
    expect(
      server.requests.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('wait')),
    ).to.deep.equal(['30', '30']);
    const next = rejectionOf(reading.next());
    controller.abort(new Error('gone'));
    expect(await next).to.have.property('message', 'gone');
  });
});
