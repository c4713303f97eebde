import {
  after,
  days,
  Fault,
  type Filename,
  hours,
  type IdempotencyKey,
  type Publication,
  type RoleStore,
  seconds,
  type Title,
} from '@pinfold/core';
import { anEvent, rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, eventsOf, isStaged, OWNER, openStage, stageOfEachTest } from './stage.ts';

describe('publishing', () => {
  const stage = stageOfEachTest();

  async function countArchives(): Promise<number> {
    return (await stage.memory.archives.list(undefined, 100)).length;
  }

  /** Removes reservations like a sweep that finds them too old: their leases are lost. */
  async function dropReservations(): Promise<void> {
    await stage.memory.roles.purge(after(stage.clock.now(), seconds(1)), 10);
  }

  async function roles(): Promise<readonly Publication[]> {
    const page = await stage.useCases.list({ by: OWNER, limit: 100 });
    return page.kind === 'page' ? page.publications : [];
  }

  it('creates a role that lives for exactly 7 days', async () => {
    const request = await stage.request({ title: 'Spring' as Title });
    const outcome = await stage.useCases.publish(request);
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const now = stage.clock.now();
    expect(outcome.publication).to.include({
      account: OWNER,
      title: 'Spring',
      originalFilename: 'site.zip',
      fileCount: 1,
      size: 4,
      publishedAt: now,
      expiresAt: now + days(7),
      pinned: false,
      deletedAt: null,
      passwordProtected: false,
      state: 'published',
    });
    expect(await countArchives()).to.equal(1);
    expect(isStaged(request)).to.equal(false);
  });

  it('answers a replay with the role as it is now, and with the same warnings', async () => {
    stage.inspector.entries = [{ name: 'index.html' }, { name: 'app.js.map' }];
    const first = await stage.useCases.publish(await stage.request());
    if (first.kind !== 'published') throw new Error(first.kind);
    await stage.useCases.stop({ by: OWNER, id: first.publication.id });
    const request = await stage.request();
    const again = await stage.useCases.publish(request);
    if (again.kind !== 'replayed') throw new Error(again.kind);
    expect(again.publication.id).to.equal(first.publication.id);
    expect(again.publication.deletedAt).to.equal(stage.clock.now());
    expect(again.warnings).to.deep.equal(first.warnings);
    expect(again.warnings.map(({ rule }) => rule)).to.deep.equal(['source_map']);
    expect(await countArchives()).to.equal(1);
    expect(isStaged(request)).to.equal(false);
  });

  for (const [what, differing] of [
    ['ZIP', { bytes: 'PK other' }],
    ['file name', { filename: 'other.zip' as Filename }],
    ['title', { title: 'Other' as Title }],
  ] as const) {
    it(`refuses the key of a complete publication with another ${what}`, async () => {
      await stage.publish();
      const request = await stage.request(differing);
      expect(await codeOf(stage.useCases.publish(request))).to.equal('idempotency_mismatch');
      expect(await roles()).to.have.length(1);
      expect(isStaged(request)).to.equal(false);
    });
  }

  it('refuses the same request while the first one runs, and another as a mismatch', async () => {
    const proving = Promise.withResolvers<void>();
    stage.inspector.during = () => proving.promise;
    const first = stage.useCases.publish(await stage.request());
    const same = await stage.useCases.publish(await stage.request());
    const other = await codeOf(stage.useCases.publish(await stage.request({ bytes: 'PK other' })));
    proving.resolve();
    const retryAt = after(stage.clock.now(), seconds(60));
    expect(same).to.deep.equal({ kind: 'refused', code: 'idempotency_in_progress', retryAt });
    expect(other).to.equal('idempotency_mismatch');
    expect((await first).kind).to.equal('published');
  });

  it('reports every broken rule at once, leaves nothing behind, and frees the key', async () => {
    stage.inspector.entries = [{ name: 'page.html' }, { name: '.env' }];
    stage.inspector.proofProblems = [{ rule: 'corrupt_data', path: 'page.html' }];
    const outcome = await stage.useCases.publish(await stage.request());
    if (outcome.kind !== 'refused' || outcome.code !== 'invalid_archive') throw new Error(outcome.kind);
    const rules = outcome.problems.map(({ rule }) => rule);
    expect(rules).to.have.members(['forbidden_name', 'missing_index', 'corrupt_data']);
    expect([await countArchives(), (await roles()).length]).to.deep.equal([0, 0]);
    stage.inspector.entries = [{ name: 'index.html' }];
    stage.inspector.proofProblems = [];
    await stage.publish({ bytes: 'PK corrected' });
  });

  it('publishes no archive without its complete proof', async () => {
    stage.inspector.prove = () => Promise.resolve({ problems: [], entries: [] });
    expect(await rejectionOf(stage.useCases.publish(await stage.request())))
      .to.be.instanceOf(TypeError)
      .with.property('message', 'an entry is unproved');
    expect(await countArchives()).to.equal(0);
  });

  it('frees the key after a fault before the commit, and deletes nothing', async () => {
    const fault = new Fault('storage_unavailable', 'gone');
    const put = () => Promise.reject(fault);
    const broken = stage.with({ archives: replacing(stage.memory.archives, { put }) });
    const request = await stage.request();
    expect(await broken.publish(request).catch((error: unknown) => error)).to.equal(fault);
    expect(isStaged(request)).to.equal(false);
    await stage.publish({ bytes: 'PK corrected' });
  });

  it('keeps archive and reservation when the outcome of the commit is unknown', async () => {
    const lost: RoleStore['commit'] = async (publication, lease) => {
      await stage.memory.roles.commit(publication, lease, [anEvent()]);
      throw new Fault('store_unavailable', 'the answer got lost');
    };
    const broken = stage.with({ roles: replacing(stage.memory.roles, { commit: lost }) });
    expect(await codeOf(broken.publish(await stage.request()))).to.equal('store_unavailable');
    const retry = await stage.useCases.publish(await stage.request());
    expect(retry.kind).to.equal('replayed');
    expect(await countArchives()).to.equal(1);
  });

  it('waits until the lease ends if the commit never arrived', async () => {
    const commit: RoleStore['commit'] = () => Promise.reject(new Fault('store_unavailable', 'gone'));
    const broken = stage.with({ roles: replacing(stage.memory.roles, { commit }) });
    expect(await codeOf(broken.publish(await stage.request()))).to.equal('store_unavailable');
    expect(await codeOf(stage.useCases.publish(await stage.request()))).to.equal('idempotency_in_progress');
    stage.clock.advance(seconds(60));
    await stage.publish();
    expect(await roles()).to.have.length(1);
  });

  it('commits nothing, removes its own archive and replays if it lost its lease to a faster request', async () => {
    let overtaken = false;
    const put: typeof stage.memory.archives.put = async (id, archive, signal) => {
      await stage.memory.archives.put(id, archive, signal);
      if (overtaken) return;
      overtaken = true;
      await dropReservations();
      await stage.publish();
    };
    const slow = stage.with({ archives: replacing(stage.memory.archives, { put }) });
    const outcome = await slow.publish(await stage.request());
    expect(outcome.kind).to.equal('replayed');
    expect(await roles()).to.have.length(1);
    expect(await countArchives()).to.equal(1);
  });

  it('reserves again and commits its stored archive if it lost its lease without a successor', async () => {
    const put: typeof stage.memory.archives.put = async (id, archive, signal) => {
      await stage.memory.archives.put(id, archive, signal);
      await dropReservations();
    };
    let prepared = 0;
    const prepare = async () => {
      prepared += 1;
    };
    const slow = stage.with({ archives: replacing(stage.memory.archives, { put, prepare }) });
    const outcome = await slow.publish(await stage.request());
    expect([outcome.kind, prepared]).to.deep.equal(['published', 1]);
    expect(await countArchives()).to.equal(1);
  });

  it('commits no archive that a sweep has removed, and frees the key, if it resumes after a day', async () => {
    let slept = false;
    const put: typeof stage.memory.archives.put = async (id, archive, signal) => {
      await stage.memory.archives.put(id, archive, signal);
      if (slept) return;
      slept = true;
      stage.clock.advance(hours(25));
      expect((await stage.useCases.cleanUp()).orphans).to.equal(1);
    };
    const asleep = stage.with({ archives: replacing(stage.memory.archives, { put }) });
    expect(await codeOf(asleep.publish(await stage.request()))).to.equal('storage_unavailable');
    expect(await roles()).to.have.length(0);
    expect((await asleep.publish(await stage.request())).kind).to.equal('published');
    expect([await countArchives(), (await roles()).length]).to.deep.equal([1, 1]);
  });

  it('stops proving when the lease was lost, and answers by the state of the key', async () => {
    stage.inspector.during = async (signal) => {
      stage.inspector.during = () => Promise.resolve();
      await dropReservations();
      await stage.publish();
      const aborted = new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      stage.clock.advance(seconds(20));
      await aborted;
    };
    const outcome = await stage.useCases.publish(await stage.request());
    expect(outcome.kind).to.equal('replayed');
    expect(await roles()).to.have.length(1);
    expect(await countArchives()).to.equal(1);
  });

  it('is refused as overloaded if too many wait, and reserves nothing', async () => {
    const proving = Promise.withResolvers<void>();
    stage.inspector.during = () => proving.promise;
    const small = stage.with({}, { publishing: 1, publishingQueue: 0 });
    const first = small.publish(await stage.request());
    const request = await stage.request({ key: 'key-2' as IdempotencyKey });
    expect(await codeOf(small.publish(request))).to.equal('publishing_overloaded');
    expect(isStaged(request)).to.equal(false);
    proving.resolve();
    expect((await first).kind).to.equal('published');
    await stage.publish({ key: 'key-2' as IdempotencyKey });
  });

  it('answers even if the upload cannot be discarded', async () => {
    const request = await stage.request();
    const discard = () => Promise.reject(new Fault('staging_unavailable', 'gone'));
    const outcome = await stage.useCases.publish({
      ...request,
      archive: { ...request.archive, discard },
    });
    expect(outcome.kind).to.equal('published');
  });
});

describe('a dry run', () => {
  it('checks all rules and stores nothing', async () => {
    const stage = await openStage();
    const request = await stage.request();
    expect(await stage.useCases.check(request)).to.deep.equal({
      kind: 'checked',
      fileCount: 1,
      size: 4,
      warnings: [],
    });
    expect(isStaged(request)).to.equal(false);
    expect(await stage.memory.archives.list(undefined, 1)).to.deep.equal([]);
    stage.inspector.entries = [];
    const { archive } = await stage.request();
    expect(await codeOf(stage.useCases.check({ by: OWNER, archive }))).to.equal('invalid_archive');
  });
});

describe('publishing with a password', () => {
  const stage = stageOfEachTest();

  it('commits a role with the hash of its password, and one event', async () => {
    const outcome = await stage.useCases.publish(await stage.request({ password: 'long enough' }));
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    expect(outcome.publication.passwordProtected).to.equal(true);
    expect((await eventsOf(stage)).map(({ type }) => type)).to.deep.equal(['pin.published']);
  });

  it('does not hash the password for a replay, a dry run or an archive that breaks rules', async () => {
    await stage.publish();
    const hash = () => Promise.reject(new Error('hashed'));
    const { publish, check } = stage.with({ passwords: { ...stage.ports.passwords, hash } });
    const password = 'long enough';
    expect((await publish(await stage.request({ password }))).kind).to.equal('replayed');
    expect((await check(await stage.request({ password }))).kind).to.equal('checked');
    stage.inspector.problems = [{ rule: 'not_a_zip' }];
    expect(await codeOf(publish(await stage.request({ password, key: 'other' })))).to.equal(
      'invalid_archive',
    );
  });

  it('frees the key and stores nothing if too many passwords wait to be hashed', async () => {
    const hash = () => Promise.reject(new Fault('hasher_overloaded', 'too many wait'));
    const { publish } = stage.with({ passwords: { ...stage.ports.passwords, hash } });
    const password = 'long enough';
    expect(await codeOf(publish(await stage.request({ password })))).to.equal('hasher_overloaded');
    expect(await stage.memory.archives.list(undefined, 10)).to.deep.equal([]);
    expect((await stage.useCases.publish(await stage.request({ bytes: 'other' }))).kind).to.equal(
      'published',
    );
  });

  it('refuses a password beyond its limits before it receives the archive', async () => {
    const refusal = await stage.useCases.publish(await stage.request({ password: 'short' }));
    expect(refusal).to.include({ code: 'invalid_password', rule: 'too_short' });
  });
});
