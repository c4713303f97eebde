import { expect } from 'chai';
import { type Backends, HERE } from '../service/owned-node.ts';
import { killCleaningUp, killComparing, momentsOfCleaningUp } from './cleaning-up.ts';
import type { Moment } from './moments.ts';
import { killPublishing, momentsOfPublishing } from './publishing.ts';
import { killTakingDown, momentsOfTakingDown } from './taking-down.ts';

/** How many processes are killed at the same time. */
const AT_ONCE = 2;

/** Calls that store nothing: a process that is killed around them leaves what the call before them left. */
const READS =
  / (?:inspector\.\w+|\w+\.(?:find|load|of|copies|list|listArchives|loadComparison|whichAreNamed)) \d+$/;

/** Drops moments around reads, and those before a call that directly follows the one after another call. */
function distinct(moments: readonly Moment[]): readonly Moment[] {
  const writes = moments.filter((moment) => !READS.test(moment));
  return writes.filter((moment, n) => moment.startsWith('after ') || !writes[n - 1]?.startsWith('after '));
}

/** Kills a process at each distinct moment, and reports those after which something was wrong. */
async function atEach(moments: readonly Moment[], kill: (moment: Moment) => Promise<void>): Promise<void> {
  const left = [...distinct(moments)];
  const wrong: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let moment = left.shift(); moment !== undefined; moment = left.shift()) {
      try {
        await kill(moment);
      } catch (cause) {
        wrong.push(
          new Error(`killed ${moment}: ${cause instanceof Error ? cause.message : cause}`, { cause }),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (wrong.length > 0) throw new AggregateError(wrong, wrong.map(String).join('\n'));
}

/** Where one process does all, and where everything is elsewhere. */
const ELSEWHERE: Backends = { records: 'postgres', archives: 's3' };

/** The moments at which it matters where records and archives are. */
function aroundBackends(moments: readonly Moment[]): readonly Moment[] {
  return moments.filter((moment) => /^(?:before|after) (?:roles|archives|takedowns)\./.test(moment));
}

describe('A node that is killed', function () {
  this.timeout(900_000);

  describe('while it publishes, publishes whole or not at all, and its key is good', () => {
    it('at every moment, on SQLite and files', async () => {
      const moments = await momentsOfPublishing(HERE);
      expect(moments).to.include.members([
        'before staging.receive 1',
        'before roles.reserve 1',
        'after roles.renew 1',
        'after inspector.prove 1',
        'after archives.put 1',
        'before roles.commit 1',
        'after roles.commit 1',
        'after staged.discard 1',
      ]);
      await atEach(moments, (moment) => killPublishing(HERE, moment));
    });

    it('around every call of PostgreSQL and S3', async () => {
      const moments = aroundBackends(await momentsOfPublishing(ELSEWHERE));
      expect(moments.length).to.be.at.least(8);
      await atEach(moments, (moment) => killPublishing(ELSEWHERE, moment));
    });
  });

  describe('while it cleans up, costs nothing that is published, and the next one ends its work', () => {
    it('at every moment, on SQLite and files', async () => {
      const moments = await momentsOfCleaningUp(HERE);
      expect(moments).to.include.members([
        'after roles.purge 1',
        'after attempts.purge 1',
        'after staging.sweep 1',
        'before roles.keepComparison 1',
        'after roles.keepComparison 2',
        'after archives.list 2',
        'before roles.whichAreNamed 1',
        'after archives.delete 2',
        'after roles.claimForCleanup 1',
        'after archives.delete 4',
        'after roles.settleCleanup 2',
      ]);
      await atEach(moments, (moment) => killCleaningUp(HERE, moment));
    });

    it('in the middle of a comparison, and costs one window of it', async () => {
      await killComparing(HERE);
      await killComparing(ELSEWHERE);
    });

    it('after every call of PostgreSQL and S3', async () => {
      // The third call of a kind is like the second.
      const moments = aroundBackends(await momentsOfCleaningUp(ELSEWHERE)).filter((moment) =>
        /^after .* [12]$/.test(moment),
      );
      expect(moments.length).to.be.at.least(10);
      await atEach(moments, (moment) => killCleaningUp(ELSEWHERE, moment));
    });
  });

  describe('while it takes a publication down, has stopped and forbidden each copy or none, and again ends it', () => {
    it('at every moment, on SQLite and files', async () => {
      const moments = await momentsOfTakingDown(HERE);
      expect(moments).to.include.members([
        'after takedowns.takeDown 2',
        'after takedowns.copies 1',
        'before takedowns.claimPurge 2',
        'after archives.delete 1',
        'before roles.settleCleanup 2',
      ]);
      await atEach(moments, (moment) => killTakingDown(HERE, moment));
    });

    it('around every call of PostgreSQL and S3', async () => {
      const moments = aroundBackends(await momentsOfTakingDown(ELSEWHERE));
      expect(moments.length).to.be.at.least(20);
      await atEach(moments, (moment) => killTakingDown(ELSEWHERE, moment));
    });
  });
});
