import { expect } from 'chai';
import { type Backends, LOCAL_BACKENDS } from '../service/owned-node.ts';
import { cleaningUp, comparing } from './cleaning-up.ts';
import { erasing } from './erasing.ts';
import { publishing } from './publishing.ts';
import { takingDown } from './taking-down.ts';
import { killAt, momentsOf, type Task } from './task.ts';
import type { Moment } from './victim.ts';

/** How many processes are killed at the same time. */
const CONCURRENCY = 2;

/** Calls that store nothing: a kill before or after them leaves the same data as one after the previous call. */
const READS =
  / (?:inspector\.\w+|\w+\.(?:find|load|of|copies|list|listArchives|loadComparison|whichAreNamed)) \d+$/;

/** Selects moments with different stored data: none around reads, and only one between two calls. */
function distinct(moments: readonly Moment[]): readonly Moment[] {
  const writes = moments.filter((moment) => !READS.test(moment));
  return writes.filter((moment, n) => moment.startsWith('after ') || !writes[n - 1]?.startsWith('after '));
}

/** Kills a process at each distinct moment, and reports those after which a check failed. */
async function killAtEach<Stock>(
  backends: Backends,
  task: Task<Stock>,
  moments: readonly Moment[],
): Promise<void> {
  const remaining = [...distinct(moments)];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let moment = remaining.shift(); moment !== undefined; moment = remaining.shift()) {
      try {
        await killAt(backends, task, moment);
      } catch (cause) {
        failures.push(
          new Error(`killed ${moment}: ${cause instanceof Error ? cause.message : cause}`, { cause }),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
}

/** Records and archives outside of the process. */
const REMOTE_BACKENDS: Backends = { records: 'postgres', archives: 's3' };

/** Matches the moments of calls that the backends answer. */
const BACKENDS = /^(?:before|after) (?:roles|archives|takedowns|erasures)\./;

const FIRST = /^after .* 1$/;

interface Kills<Stock> {
  readonly title: string;
  readonly task: Task<Stock>;
  /** Some moments on SQLite and files. A missing one shows that the task has changed. */
  readonly expected: readonly Moment[];
  /** The moments of kills on PostgreSQL and S3. Default: after the first call of each kind. */
  readonly remoteMoments?: RegExp;
  readonly minRemote: number;
}

function describeKills<Stock>({
  title,
  task,
  expected,
  remoteMoments = FIRST,
  minRemote,
}: Kills<Stock>): void {
  describe(title, () => {
    it('at every moment, on SQLite and files', async () => {
      const moments = await momentsOf(LOCAL_BACKENDS, task);
      expect(moments).to.include.members(expected);
      await killAtEach(LOCAL_BACKENDS, task, moments);
    });

    it('around the calls of PostgreSQL and S3', async () => {
      const all = await momentsOf(REMOTE_BACKENDS, task);
      const moments = all.filter((moment) => BACKENDS.test(moment) && remoteMoments.test(moment));
      expect(moments.length).to.be.at.least(minRemote);
      await killAtEach(REMOTE_BACKENDS, task, moments);
    });
  });
}

describe('A node that is killed', function () {
  this.timeout(900_000);

  describeKills({
    title:
      'while it publishes, publishes completely or not at all, and its Idempotency-Key can be used again',
    task: publishing,
    expected: [
      'before staging.receive 1',
      'before roles.reserve 1',
      'after roles.renew 1',
      'after inspector.prove 1',
      'after archives.put 1',
      'before roles.commit 1',
      'after roles.commit 1',
      'after staged.discard 1',
    ],
    remoteMoments: /./,
    minRemote: 8,
  });
  describeKills({
    title: 'while it cleans up, loses nothing that is published, and the next cleanup finishes its work',
    task: cleaningUp,
    expected: [
      'after roles.purge 1',
      'after attempts.purge 1',
      'after staging.sweep 1',
      'before roles.saveComparison 1',
      'after roles.saveComparison 2',
      'after archives.list 2',
      'before roles.whichAreNamed 1',
      'after archives.delete 2',
      'after roles.claimForCleanup 1',
      'after archives.delete 4',
      'after roles.settleCleanup 2',
    ],
    minRemote: 6,
  });
  describeKills({
    title:
      'while it takes a publication down, stops and forbids each copy completely or not at all, and a repeated request finishes it',
    task: takingDown,
    expected: [
      'after takedowns.takeDown 2',
      'after takedowns.copies 1',
      'before takedowns.claimPurge 2',
      'after archives.delete 1',
      'before roles.settleCleanup 2',
    ],
    minRemote: 4,
  });
  describeKills({
    title: 'while it erases an account, hides all of it or nothing, and the next cleanup erases the rest',
    task: erasing,
    expected: [
      'before erasures.begin 1',
      'after erasures.begin 1',
      'after erasures.advance 1',
      'after erasures.claimArchives 1',
      'after archives.delete 1',
      'before roles.settleCleanup 2',
    ],
    minRemote: 5,
  });

  for (const backends of [LOCAL_BACKENDS, REMOTE_BACKENDS]) {
    it(`in the middle of a comparison, leaves only one window to be compared again, on ${backends.records}`, () =>
      killAt(backends, comparing, 'after archives.list 2'));
  }
});
