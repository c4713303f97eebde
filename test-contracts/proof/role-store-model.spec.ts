import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, type StoreSubject } from '@pinfold/test-contracts';
import { expect } from 'chai';
import { roleStoreTable } from './mutants/role-store.ts';

/** Mutants whose state is wrong: a sequence of calls shows it. */
const SHOWN_BY_SEQUENCES = [
  'reserve: takes.request.until.later',
  'reserve: takes.request.now.earlier',
  'renew: idles',
  'renew: takes.until.earlier',
  'confuses token.cut',
  'release: idles',
  'the role is stored before the lease is checked',
  'commit: takes.publication.manifest.cut',
  'load: caches',
  'an unknown id returns the role that was published last',
  'save: idles',
  'save: repeats',
  'list: answers.items.list-reversed',
  'list: takes.query.after.rank.more',
  'list: takes.query.now.earlier',
  'list: takes.query.idempotencyKey.raised',
  'claimForCleanup: takes.request.endedBefore.later',
  'claimForCleanup: answers.list-reversed',
  'a claim leaves the version as it was',
  'settleCleanup: idles',
  'settleCleanup: takes.outcome.kind.stuck',
  'settling ends the claim of another sweep',
  'listArchives: answers.list-shortened',
  'purge: takes.begunBefore.later',
  // Only calls at once show these.
  'saving looks first and writes later',
  'claiming looks first and writes later',
  'a commit ignores whether the key was completed',
  'save: answers.kind.stuck',
];

function subjectsOf(how: string): () => Promise<StoreSubject<RoleStore>> {
  const mutant = roleStoreTable.mutants.find((known) => known.how === how);
  if (mutant === undefined) throw new Error(`there is no mutant ${how}`);
  return mutant.open();
}

async function isCaught(how: string): Promise<boolean> {
  const [outcome] = await Promise.allSettled([
    checkRoleStoreSequences(subjectsOf(how), { runs: 400, seed: 2, shortest: false }),
  ]);
  return outcome.status === 'rejected';
}

describe('The model of RoleStore', function () {
  this.timeout(300_000);

  for (const how of SHOWN_BY_SEQUENCES) {
    it(`differs in a sequence: ${how}`, async () => {
      expect(await isCaught(how)).to.equal(true);
    });
  }

  it('repeats what a seed gave', async () => {
    const failure = (seed: number) =>
      checkRoleStoreSequences(subjectsOf('list: takes.query.now.earlier'), { seed, shortest: false }).then(
        () => '',
        (error: Error) => error.message,
      );
    const failures: string[] = [];
    for (const seed of [7, 7]) failures.push(await failure(seed));
    expect(failures[0]).to.equal(failures[1]).and.not.to.equal('');
  });
});
