import { setTimeout as pause } from 'node:timers/promises';
import { type Duration, duration, hours, minutes, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { sharedBucket } from 'pinfold-proof/service/places.ts';
import { postgresPlace } from 'pinfold-test-servers/mocha';
import { siteOf } from '../service/client.ts';
import { enter, tryPassword } from '../service/visitor.ts';
import { type Nodes, openNodes, type RunningNode } from './nodes.ts';

describe('Three processes on PostgreSQL and S3', () => {
  let nodes: Nodes;
  let all: readonly [RunningNode, RunningNode, RunningNode];

  before(async () => {
    const [{ server }, { server: s3, bucket }] = await Promise.all([postgresPlace(), sharedBucket()]);
    nodes = await openNodes({ postgres: server.address, s3: s3.endpoint, bucket });
    all = await Promise.all([nodes.start(), nodes.start(), nodes.start()]);
  });
  after(() => nodes.dispose());

  const at = (n: number): RunningNode => all[n % all.length] as RunningNode;
  const archives = async (): Promise<number> => (await nodes.archives.list(undefined, 1_000)).length;

  /** The statuses of answers, some of which wait by clocks that go on only when they are told to. */
  async function statusesOf(
    answers: readonly Promise<Response>[],
    step: Duration = duration(50),
  ): Promise<readonly number[]> {
    let over = false;
    const all = Promise.all(answers).finally(() => {
      over = true;
    });
    all.catch(() => {});
    while (!over) {
      await pause(50);
      await nodes.advance(step);
    }
    return (await all).map(({ status }) => status);
  }

  async function publish(key: string): Promise<string> {
    const { status, pin } = await at(0).client.publish(key);
    expect(status).to.equal(201);
    return pin?.id ?? '';
  }

  it('make one role of a hundred parallel duplicates', async () => {
    const before = await archives();
    const asked = Array.from({ length: 100 }, (_, n) => at(n).client.publish('a hundred times'));
    const answers = await Promise.all(asked);
    const [first, ...others] = answers.filter(({ status }) => status === 201);
    expect(others, 'more of them').to.deep.equal([]);
    for (const answer of answers) {
      expect(answer.status).to.be.oneOf([200, 201, 409]);
      if (answer.status === 409) {
        expect(answer.code).to.equal('idempotency_in_progress');
        expect(answer.retryAfter).to.match(/^[1-9]\d*$/);
      } else expect(answer.pin?.id).to.equal(first?.pin?.id);
    }
    expect(await archives()).to.equal(before + 1);
    for (const { client } of all) {
      expect((await client.publish('a hundred times')).pin?.id).to.equal(first?.pin?.id);
      expect((await client.list()).map(({ id }) => id)).to.deep.equal([first?.pin?.id]);
    }
  });

  it('lose a site and its copies everywhere when one of them takes it down, and let nobody publish it again', async () => {
    const before = await archives();
    const phishing = siteOf('a false bank');
    const published = await Promise.all(
      all.map(({ client }, n) => client.publish(`phishing ${n}`, phishing)),
    );
    const ids = published.map(({ pin }) => pin?.id ?? '');
    for (const { client } of all) for (const id of ids) expect(await client.view(id)).to.equal(200);
    await at(1).carryOut({ kind: 'take down', id: ids[0] ?? '' });
    expect(await archives()).to.equal(before);
    for (const [n, { client }] of all.entries()) {
      for (const id of ids) expect(await client.view(id)).to.equal(404);
      const again = await client.publish(`phishing again ${n}`, phishing);
      expect([again.status, again.code]).to.deep.equal([422, 'invalid_archive']);
    }
  });

  it('hide the sites of an account that one of them blocks so, and end every grant for them', async () => {
    const id = await publish('hidden');
    await at(0).client.patch(id, { password: 'the only one' });
    const visitor = await enter(at(0).url, id, 'the only one');
    for (const { url } of all) expect(await visitor.file(url)).to.equal(200);
    await at(1).carryOut({ kind: 'block', account: 'default', sites: 'hide' });
    for (const { url, client } of all) {
      expect([await visitor.page(url), await visitor.file(url)]).to.deep.equal([404, 404]);
      expect((await tryPassword(url, id, 'the only one')).status).to.equal(404);
      expect((await client.read(id)).pin?.state, 'to its owner').to.equal('published');
      expect((await client.stop(id)).code).to.equal('account_blocked');
    }
    await at(2).carryOut({ kind: 'unblock', account: 'default' });
    for (const { url } of all) expect(await visitor.file(url), 'a grant from before').to.equal(403);
    expect(await (await enter(at(1).url, id, 'the only one')).page(at(0).url)).to.equal(200);
  });

  it('change nothing from the moment on at which one of them has made the service read-only', async () => {
    const ids = await Promise.all([0, 1, 2].map((n) => publish(`read-only ${n}`)));
    const mode = { kind: 'read_only', message: 'Back at noon.' } as const;
    const asked = Array.from({ length: 30 }, (_, n) => at(n).client.publish(`under way ${n}`));
    await at(1).carryOut({ kind: 'change mode', mode });
    const settled = (await at(0).client.list()).length;
    const answers = await Promise.all(asked);
    expect((await at(0).client.list()).length, 'published since').to.equal(settled);
    for (const { status, retryAfter } of answers) {
      if (status !== 201) expect([status, retryAfter]).to.deep.equal([503, '60']);
    }
    for (const [n, { client }] of all.entries()) {
      const id = ids[n] ?? '';
      const changes = [await client.publish(`refused ${n}`), await client.patch(id, { title: 'New' })];
      for (const { status, code } of [...changes, await client.stop(id)]) {
        expect([status, code]).to.deep.equal([503, 'unavailable']);
      }
      expect(await client.view(id)).to.equal(200);
    }
    await at(2).carryOut({ kind: 'change mode', mode: { kind: 'normal', message: null } });
    for (const [n, { client }] of all.entries()) {
      expect(
        (await client.publish(`under way ${n}`)).status,
        'its key is free, or stands for it',
      ).to.be.oneOf([200, 201]);
      expect((await client.stop(ids[n] ?? '')).status).to.equal(204);
    }
  });

  it('cut every viewer off when the password is changed at one of them', async () => {
    const id = await publish('protected');
    await at(0).client.patch(id, { password: 'the first one' });
    const visitor = await enter(at(0).url, id, 'the first one');
    for (const { url } of all) {
      expect([await visitor.page(url), await visitor.file(url)]).to.deep.equal([200, 200]);
    }
    expect((await at(1).client.patch(id, { password: 'the second one' })).status).to.equal(200);
    for (const { url } of [at(2), at(0)]) {
      expect(await visitor.page(url), 'a page').to.equal(302);
      expect(await visitor.file(url), 'a file').to.equal(403);
      expect((await tryPassword(url, id, 'the first one')).status).to.equal(403);
    }
    expect(await (await enter(at(2).url, id, 'the second one')).page(at(0).url)).to.equal(200);
  });

  it('count wrong passwords together, in turn and all at once', async () => {
    const inTurn = await publish('guessed in turn');
    const atOnce = await publish('guessed at once');
    for (const id of [inTurn, atOnce]) await at(0).client.patch(id, { password: 'nobody knows it' });
    for (let n = 0; n < 10; n += 1) {
      expect((await tryPassword(at(n).url, inTurn, `guess ${n}`)).status).to.equal(403);
    }
    for (const { url } of all) {
      const limited = await tryPassword(url, inTurn, 'nobody knows it');
      expect(limited.status).to.equal(429);
      expect(limited.headers.get('retry-after')).to.equal('300');
    }
    const guesses = Array.from({ length: 60 }, (_, n) => tryPassword(at(n).url, atOnce, `guess ${n}`));
    const statuses = await statusesOf(guesses);
    expect(statuses.filter((status) => status === 403)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(50);
    await nodes.advance(minutes(5));
    expect((await tryPassword(at(2).url, inTurn, 'nobody knows it')).status).to.equal(303);
  });

  it('let thirty in who enter the right password at once behind one address', async () => {
    const id = await publish('entered at once');
    await at(0).client.patch(id, { password: 'everybody knows it' });
    const entering = Array.from({ length: 30 }, (_, n) => tryPassword(at(n).url, id, 'everybody knows it'));
    expect(await statusesOf(entering)).to.deep.equal(entering.map(() => 303));
  });

  it('take tries whose node was killed for wrong from 60 seconds on, until their window ends', async () => {
    const doomed = await nodes.start({ hangs: 'verify' });
    const id = await publish('tried in vain');
    await at(0).client.patch(id, { password: 'the right one' });
    const lost = Array.from({ length: 10 }, () =>
      tryPassword(doomed.url, id, 'the right one').catch(() => 'no answer'),
    );
    for (const _ of lost) await doomed.process.said('hanging');
    doomed.process.kill();
    expect(await Promise.all(lost)).to.deep.equal(lost.map(() => 'no answer'));
    const waiting = [0, 1].map((n) => tryPassword(at(n).url, id, 'the right one'));
    expect(await statusesOf(waiting, seconds(1))).to.deep.equal([503, 503]);
    await nodes.advance(seconds(60));
    const limited = await tryPassword(at(2).url, id, 'the right one');
    expect(limited.status).to.equal(429);
    await nodes.advance(seconds(Number(limited.headers.get('retry-after'))));
    expect((await tryPassword(at(1).url, id, 'the right one')).status).to.equal(303);
  });

  it('use the key of a publication whose node is killed, once its lease has lapsed', async () => {
    const doomed = await nodes.start({ hangs: 'commit' });
    const [before, known] = [await archives(), await at(0).client.list()];
    const lost = doomed.client.publish('left behind').catch(() => 'no answer');
    await doomed.process.said('hanging');
    doomed.process.kill();
    expect(await doomed.process.ended()).to.equal('SIGKILL');
    expect(await lost).to.equal('no answer');
    expect(await at(0).client.list(), 'nothing half published').to.deep.equal(known);
    const early = await at(1).client.publish('left behind');
    expect([early.status, early.code]).to.deep.equal([409, 'idempotency_in_progress']);
    await nodes.advance(seconds(60));
    const { status, pin } = await at(1).client.publish('left behind');
    expect(status).to.equal(201);
    for (const { client } of all) {
      const again = await client.publish('left behind');
      expect([again.status, again.pin?.id]).to.deep.equal([200, pin?.id]);
    }
    expect(await archives(), "the killed one's archive is left").to.equal(before + 2);
    await nodes.advance(hours(25));
    await Promise.all(all.map((node) => node.carryOut({ kind: 'clean up' })));
    // The nodes sweep by their own timers, too, and one of those sweeps may be the one that compares.
    const published = (await at(0).client.list()).length;
    while ((await archives()) > published) await pause(50);
    expect(await archives(), 'an archive for each role that is published').to.equal(published);
  });

  it('shut a revoked key out everywhere', async () => {
    for (const { client } of all) await client.list();
    await at(2).carryOut({ kind: 'revoke', key: nodes.keyId });
    for (const { client } of all) expect((await client.read('any')).status).to.equal(401);
  });
});
