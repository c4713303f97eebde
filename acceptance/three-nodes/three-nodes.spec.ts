import { setTimeout as pause } from 'node:timers/promises';
import { type Duration, seconds } from '@pinfold/core';
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

  /** The statuses of answers, some of which wait for clocks that only the test advances. */
  async function statusesOf(
    answers: readonly Promise<Response>[],
    step: Duration,
  ): Promise<readonly number[]> {
    let over = false;
    const answered = Promise.all(answers).finally(() => {
      over = true;
    });
    answered.catch(() => {});
    while (!over) {
      await pause(50);
      await nodes.advance(step);
    }
    return (await answered).map(({ status }) => status);
  }

  async function publish(key: string): Promise<string> {
    const { status, pin } = await at(0).client.publish(key);
    expect(status).to.equal(201);
    return pin?.id ?? '';
  }

  it('stop a site and its copies on all nodes when one of them takes it down, and refuse to publish it again', async () => {
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

  it('hide the sites of an account when one of them blocks it that way, and end every grant for them', async () => {
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

  it('change nothing from the moment when one of them makes the service read-only', async () => {
    const ids = await Promise.all([0, 1, 2].map((n) => publish(`read-only ${n}`)));
    const mode = { kind: 'read_only', message: 'Back at noon.' } as const;
    const publishing = Array.from({ length: 30 }, (_, n) => at(n).client.publish(`under way ${n}`));
    await at(1).carryOut({ kind: 'change mode', mode });
    const settled = (await at(0).client.list()).length;
    const answers = await Promise.all(publishing);
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

  it('count tries of a killed node as wrong after 60 seconds, until their window ends', async () => {
    const doomed = await nodes.start({ hangs: 'verify' });
    const id = await publish('tried in vain');
    await at(0).client.patch(id, { password: 'the right one' });
    const lost = Array.from({ length: 10 }, () =>
      tryPassword(doomed.url, id, 'the right one').catch(() => 'no answer'),
    );
    for (const _ of lost) await doomed.process.nextMessage('hanging');
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

  it('refuse a revoked key on all nodes', async () => {
    for (const { client } of all) await client.list();
    await at(2).carryOut({ kind: 'revoke', key: nodes.keyId });
    for (const { client } of all) expect((await client.read('any')).status).to.equal(401);
  });
});
