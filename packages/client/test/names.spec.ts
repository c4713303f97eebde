import type { Name } from '@pinfold/client';
import { expect } from 'chai';
import { ARCHIVE, all, failure, ID, PIN, PUBLISHED, problem, WAIT_1_S } from './answers.ts';
import { type Answer, clientOf, openServer, server } from './scripted-server.ts';

const NAME: Name = {
  name: 'pr-42',
  url: 'https://share.example/n/pr-42-3QpMtRzX81aKfYw0BvNc7d',
  pin: ID,
  updated_at: '2026-11-20T12:00:00.000Z',
  pin_state: 'published',
  pin_expires_at: '2026-11-27T12:00:00.000Z',
  previous: null,
};
const NAMED: Answer = { status: 200, body: { name: NAME } };
const GONE = problem(404, 'not_found', {}, { retryable: false });
const DELETED: Answer = { status: 204 };

describe('names of PinfoldClient', () => {
  beforeEach(openServer);

  const calls = (): readonly string[] => server.requests.map(({ method, path }) => `${method} ${path}`);

  it('are read, set, listed and deleted', async () => {
    const page = (next_cursor: string | null): Answer => ({
      status: 200,
      body: { names: [NAME], next_cursor },
    });
    server.answer(NAMED, NAMED, page('a'), page(null), DELETED);
    expect(await clientOf().names.get('pr-42')).to.deep.equal({ name: NAME });
    expect(await clientOf().names.set('a/b', ID)).to.deep.equal({ name: NAME });
    expect(await all(clientOf().names.list({ pageSize: 1 }))).to.deep.equal([NAME, NAME]);
    await clientOf().names.delete('pr-42');
    expect(calls()).to.deep.equal([
      'GET /api/v1/names/pr-42',
      'PUT /api/v1/names/a%2Fb',
      'GET /api/v1/names?limit=1',
      'GET /api/v1/names?cursor=a&limit=1',
      'DELETE /api/v1/names/pr-42',
    ]);
    expect(server.requests[1]?.body).to.equal(JSON.stringify({ pin: ID }));
  });

  it('are set for a publication', async () => {
    server.answer({ ...PUBLISHED, body: { pin: PIN, warnings: [], name: NAME } }, PUBLISHED);
    expect((await clientOf().publish(ARCHIVE, { name: 'pr-42' })).name).to.deep.equal(NAME);
    expect((await clientOf().publish(ARCHIVE)).name).to.equal(undefined);
    expect(calls()).to.deep.equal(['POST /api/v1/pins?name=pr-42', 'POST /api/v1/pins']);
  });

  it('count as deleted if a 404 follows a lost answer, and only then', async () => {
    server.answer('cut', GONE);
    await clientOf().names.delete('pr-42');
    server.answer(GONE);
    expect((await failure(clientOf().names.delete('pr-42'))).code).to.equal('not_found');
    server.answer(problem(503, 'unavailable', WAIT_1_S), GONE);
    expect((await failure(clientOf().names.delete('pr-42'))).code).to.equal('not_found');
  });

  it('are set again only if no byte of an answer arrived', async () => {
    server.answer('cut', NAMED);
    await clientOf().names.set('pr-42', ID);
    server.answer({ status: 502, body: 'a proxy' });
    expect((await failure(clientOf().names.set('pr-42', ID))).status).to.equal(502);
    expect(server.requests).to.have.length(3);
  });

  it('are not accepted from an answer of another form', async () => {
    for (const body of [{}, { name: { ...NAME, url: 5 } }, { name: null }]) {
      server.answer({ status: 200, body });
      expect((await failure(clientOf().names.get('pr-42'))).code).to.equal('invalid_answer');
    }
    server.answer({ ...PUBLISHED, body: { pin: PIN, warnings: [], name: 'pr-42' } });
    expect((await failure(clientOf().publish(ARCHIVE, { name: 'pr-42' }))).code).to.equal('invalid_answer');
  });
});
