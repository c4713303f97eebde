import {
  after,
  type CleanUpReport,
  type Comparison,
  type Day,
  days,
  Fault,
  hours,
  type Instant,
  instant,
  minutes,
  OPERATOR,
  type RoleId,
  seconds,
  type Token,
} from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import { createHistory } from '@pinfold/core/history';
import { createViews } from '@pinfold/core/views';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { dayOf } from '../../src/domain/views.ts';
import { type CleanupStage, openCleanupStage } from './cleanup-stage.ts';
import { eventsOf, OWNER, startedOf } from './stage.ts';

const failing = (): Promise<never> => Promise.reject(new Fault('storage_unavailable', 'gone'));

describe('A wrong clock', () => {
  const stage: CleanupStage = ofEachTest(openCleanupStage);
  const setBy = (length: number) => ({
    clock: replacing(stage.clock, { now: () => instant(stage.clock.now() + length) }),
  });
  const ahead = () => setBy(days(9));
  const stored = async (): Promise<Comparison> =>
    (await stage.memory.roles.loadComparison())?.value as Comparison;
  const store = async (comparison: Comparison): Promise<void> => {
    const version = (await stage.memory.roles.loadComparison())?.version;
    await stage.memory.roles.saveComparison(comparison, version);
  };

  it('removes no archive of a publication in service, in one sweep or in a hundred', async () => {
    await stage.publishMany(3);
    const { cleanUp } = stage.with(ahead());
    for (let sweeps = 0; sweeps < 100; sweeps += 1) expect((await cleanUp()).archives).to.equal(0);
    stage.clock.advance(hours(1));
    await cleanUp();
    expect(await stage.countArchives()).to.equal(3);
    expect((await stage.useCases.cleanUp()).missing).to.deep.equal([]);
  });

  it('drops no reservation, no archive of a running publication, no upload and no count of tries', async () => {
    const [role] = await stage.publishMany(1);
    await stage.storeOrphans(3);
    const attempt = { role: role as RoleId, address: '192.0.2.1', now: stage.clock.now() };
    const limits = { window: minutes(5), perAddress: 1, perRole: 9 };
    await stage.memory.attempts.begin({ ...attempt, ...limits });
    let swept: Instant | undefined;
    const staging = replacing(stage.ports.staging, {
      sweep: async (receivedBefore) => {
        swept = receivedBefore;
        return 0;
      },
    });
    const reserving = stage.request({ key: 'running' });
    const begun = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    stage.inspector.during = async () => {
      begun.resolve();
      await resume.promise;
    };
    const running = stage.useCases.publish(await reserving);
    await begun.promise;
    const report = await stage.with({ ...ahead(), staging }).cleanUp({ force: true });
    expect(report).to.include({ reservations: 0, attempts: 0, orphans: 0, archives: 0 });
    expect(swept).to.equal(instant(stage.clock.now() - days(1)));
    resume.resolve();
    expect((await running).kind).to.equal('published');
  });

  it('drops no event, no title, no revoked key and no count of views', async () => {
    const ports = { ...stage.ports, ...setBy(days(500)) };
    await stage.publishMany(1);
    let purgedBefore: Instant | undefined;
    const purge = async (revokedBefore: Instant): Promise<number> => {
      purgedBefore = revokedBefore;
      return 0;
    };
    const apiKeys = replacing(stage.memory.apiKeys, { purge });
    let titlesBefore: Instant | undefined;
    const dropTitles = async (endedBefore: Instant): Promise<number> => {
      titlesBefore = endedBefore;
      return 0;
    };
    await createHistory({ ...ports, apiKeys, roles: replacing(ports.roles, { dropTitles }) }).sweep();
    expect(titlesBefore).to.equal(purgedBefore);
    expect((await eventsOf(stage)).map(({ type }) => type)).to.include('pin.published');
    expect(purgedBefore).to.equal(instant(stage.clock.now() - days(400)));
    let droppedBefore: Day | undefined;
    const drop = async (before: Day): Promise<number> => {
      droppedBefore = before;
      return 0;
    };
    await createViews({ ...ports, views: replacing(stage.memory.views, { drop }) }).sweep();
    expect(droppedBefore).to.equal(dayOf(stage.clock.now()) - 29);
  });

  it('ends no session, link and registration of others by a sign-in, a registration or a sweep, which drops ended ones', async () => {
    const { ports } = stage;
    const openWith = (all: typeof ports) => ({
      sessions: createSessions(all, createKeys(all)),
      pairings: createPairings(all, createKeys(all)),
      sweep: () => createHistory(all).sweep(),
    });
    const [right, wrong] = [openWith(ports), openWith({ ...ports, ...ahead() })];
    const hashes = ['1', '2'].map((digit) => digit.repeat(64));
    const ada = { account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' } as const;
    const { token } = startedOf(await right.sessions.signInPerson(ada));
    const link = (await right.sessions.offerLink(OWNER)).token;
    await right.pairings.register(hashes[0] as string);
    await wrong.sessions.signInPerson(ada);
    await wrong.pairings.register(hashes[1] as string);
    await wrong.sweep();
    expect(await right.sessions.find(token)).to.include({ displayName: 'Ada' });
    expect(await right.pairings.isRegistered(hashes[0] as string)).to.equal(true);
    expect((await right.sessions.redeem(link))?.kind).to.equal('started');
    stage.clock.advance(hours(12));
    await right.sweep();
    const { sessions, pairings } = stage.memory;
    expect(await sessions.purge(stage.clock.now(), 10), 'ended sessions').to.equal(0);
    expect(await pairings.purge(stage.clock.now(), 10), 'ended registrations').to.equal(0);
  });

  it('removes nothing after the clock jumps in the middle of a sweep', async () => {
    await stage.publishMany(2);
    await stage.publishEnded(20);
    stage.clock.advance(hours(1));
    let by = 0;
    const clock = replacing(stage.clock, { now: () => instant(stage.clock.now() + by) });
    const archives = replacing(stage.memory.archives, {
      delete: async (id, signal) => {
        by = minutes(4) + days(9);
        await stage.memory.archives.delete(id, signal);
      },
    });
    const report = await stage.with({ clock, archives }).cleanUp({ time: days(10) });
    expect(report.archives).to.equal(20);
    expect(await stage.countArchives()).to.equal(2);
  });

  it('removes no publication that seems to be of the future once the clock is set back', async () => {
    await stage.publishMany(1);
    const { cleanUp } = stage.with(setBy(-days(30)));
    expect(await cleanUp()).to.include({ archives: 0, removalBehind: 0 });
    expect((await stage.useCases.cleanUp()).archives).to.equal(0);
  });

  describe('beside a database with a clock of its own', () => {
    const withDatabaseClock = (by: number) => ({
      persistence: { check: async () => instant(stage.clock.now() + by) },
    });
    for (const by of [days(9), seconds(61), -seconds(61)]) {
      it(`removes nothing and does not move the clock of removal, ${by / 1_000} s off, and reports that`, async () => {
        await stage.publishEnded(2);
        const before = await stored();
        stage.clock.advance(hours(2));
        const { cleanUp } = stage.with(withDatabaseClock(by));
        for (const request of [{}, { catchUp: true }, { dryRun: true }, { force: true }]) {
          expect(await cleanUp(request)).to.include({ archives: 0, clockDiffers: true, finished: false });
        }
        await createHistory({ ...stage.ports, ...withDatabaseClock(by) }, { retention: minutes(1) }).sweep();
        expect((await eventsOf(stage)).map(({ type }) => type)).to.include('pin.published');
        expect(await stored()).to.deep.equal(before);
      });
    }

    it('sweeps as usual within 60 s', async () => {
      await stage.publishEnded(2);
      stage.clock.advance(hours(1));
      expect(await stage.with(withDatabaseClock(seconds(60))).cleanUp()).to.include({
        archives: 2,
        clockDiffers: false,
      });
    });
  });

  describe('of a machine that was off', () => {
    it('is caught up on at double speed, or at once if a person confirms the clock', async () => {
      await stage.publishEnded(1);
      const monthAhead = setBy(days(30));
      const { cleanUp } = stage.with(monthAhead);
      expect((await cleanUp()).removalBehind).to.equal(days(30));
      stage.clock.advance(minutes(10));
      expect((await cleanUp()).removalBehind).to.equal(days(30) - minutes(10));
      stage.clock.advance(minutes(20));
      expect(await cleanUp(), 'an hour behind the end').to.include({ archives: 1 });
      await stage.publishEnded(1);
      expect(await cleanUp({ catchUp: true, dryRun: true })).to.include({ archives: 1, removalBehind: 0 });
      expect((await cleanUp()).archives, 'a dry run stores nothing').to.equal(0);
      expect(await cleanUp({ catchUp: true })).to.include({ archives: 1, removalBehind: 0 });
      expect((await cleanUp()).removalBehind).to.equal(0);
    });

    it('removes archives in time if a job cleans up once a day in a new process', async () => {
      await stage.publishEnded(1);
      for (let night = 1; night <= 8; night += 1) {
        stage.clock.advance(days(1));
        const { archives } = await stage.with({}).cleanUp();
        expect(archives, `night ${night}`).to.equal(night === 1 ? 1 : 0);
      }
    });
  });

  describe('in a database whose last sweep was of an earlier release', () => {
    const forget = async (): Promise<void> => {
      const { removal: _, ...comparison } = await stored();
      await store(comparison);
    };

    it('begins at the earliest end of a role whose archive is stored, claimed for removal or not', async () => {
      const [first] = await stage.publishEnded(1);
      const end = stage.clock.now();
      stage.clock.advance(days(1));
      await stage.publishEnded(1);
      const claim = { endedBefore: end, token: 'a token' as Token, until: after(end, days(90)), limit: 1 };
      const [task] = await stage.memory.roles.claimForCleanup({ now: stage.clock.now(), ...claim });
      expect(task?.role).to.equal(first);
      await forget();
      expect((await stage.with(ahead()).cleanUp()).archives).to.equal(0);
      expect((await stored()).removal?.reached).to.equal(end);
    });

    it('begins at now while no role has ended, even if one was purged', async () => {
      const [purged] = await stage.publishEnded(1);
      const claim = { role: purged as RoleId, token: 'a token' as Token, until: stage.clock.now() };
      await stage.memory.takedowns.claimPurge(claim);
      await stage.publishMany(1);
      stage.clock.advance(days(2));
      await forget();
      await stage.with({ archives: replacing(stage.memory.archives, { delete: failing }) }).cleanUp();
      expect((await stored()).removal?.reached).to.equal(stage.clock.now());
    });

    it('restarts without loss if such a release drops it again', async () => {
      await stage.publishMany(2);
      for (let n = 0; n < 20; n += 1) {
        await forget();
        expect((await stage.with(ahead()).cleanUp()).archives).to.equal(0);
      }
      expect(await stage.countArchives()).to.equal(2);
    });
  });

  it('does not end a running comparison of another node', async () => {
    await stage.storeOrphans(1_200, instant(stage.clock.now() - days(3)));
    let windows = 0;
    const others: Promise<CleanUpReport>[] = [];
    const archives = replacing(stage.memory.archives, {
      list: async (...inputs) => {
        windows += 1;
        if (windows === 2) others.push(stage.useCases.cleanUp());
        await Promise.all(others);
        return stage.memory.archives.list(...inputs);
      },
    });
    const report = await stage.with({ archives }).cleanUp({ force: true, time: days(1) });
    expect((await others[0])?.listing).to.equal('under_way');
    expect(report).to.include({ listing: 'done', compared: 1_200, orphans: 1_000 });
  });
});

describe('A publication in service without its archive', () => {
  const stage = ofEachTest(openCleanupStage);

  it('is reported by each comparison and dry run, whether the archive was removed or is gone', async () => {
    const [removed, gone] = await stage.publishMany(3);
    await stage.publishEnded(1);
    stage.clock.advance(days(2));
    await stage.memory.archives.delete(await stage.archiveOf(gone as RoleId));
    const claim = { role: removed as RoleId, token: 'a token' as Token, until: stage.clock.now() };
    await removeArchiveOf(claim);
    const expected = { withoutArchive: [gone, removed] };
    expect(sortedIn(await stage.useCases.cleanUp({ dryRun: true }))).to.deep.include(sortedIn(expected));
    expect(sortedIn(await stage.useCases.cleanUp())).to.deep.include(sortedIn(expected));
    await stage.useCases.stop({ by: OPERATOR, id: gone as RoleId });
    await stage.useCases.stop({ by: OPERATOR, id: removed as RoleId });
    expect((await stage.useCases.cleanUp({ dryRun: true })).withoutArchive).to.deep.equal([]);
  });

  /** Removes the archive of a role in service, as a clock that was ahead did in an earlier release. */
  async function removeArchiveOf({ role, token, until }: { role: RoleId; token: Token; until: Instant }) {
    const { archives, roles } = stage.memory;
    const now = after(stage.clock.now(), days(9));
    const tasks = await roles.claimForCleanup({ now, endedBefore: now, token, until, limit: 9 });
    for (const task of tasks) {
      const isLost = task.role === role;
      if (isLost) await archives.delete(task.archive);
      await roles.settleCleanup(task, isLost ? { kind: 'removed' } : { kind: 'failed', retryAt: now }, []);
    }
  }

  const sortedIn = ({ withoutArchive }: { readonly withoutArchive: readonly unknown[] }) => ({
    withoutArchive: [...withoutArchive].sort(),
  });
});
