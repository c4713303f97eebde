import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, checkRoleStoreStorms, type Subject } from '@pinfold/test-contracts';
import { expect } from 'chai';
import { roleStoreSabotage } from './saboteurs/role-store.ts';

/** What a saboteur does wrong in the state of a store shows in a sequence. */
const SHOWN_BY_SEQUENCES = [
  'reserve-lapsed',
  'renew-held',
  'renew-lost',
  'release-frees',
  'release-only-own',
  'commit-lease-lost',
  'commit-again',
  'load-newest',
  'load-absent',
  'save-stores',
  'save-reports-a-lost-race',
  'list-order',
  'list-pages',
  'list-state',
  'list-key',
  'claim-ended',
  'claim-order',
  'claim-conflicts',
  'settle-removed',
  'settle-failed',
  'settle-lost',
  'archives-walk',
  'purge-old',
  'purge-loses-lease',
];

/** What it does wrong between two steps shows only when many act at once. */
const SHOWN_BY_STORMS = ['save-race', 'claim-once', 'commit-race', 'load-newest', 'save-reports-a-lost-race'];

function subjectsOf(clause: string): () => Promise<Subject<RoleStore>> {
  const saboteur = roleStoreSabotage.saboteurs.find(({ breaks }) => breaks === `role-store/${clause}`);
  if (saboteur === undefined) throw new Error(`nobody breaks ${clause}`);
  return () => saboteur.open()();
}

async function isCaught(check: typeof checkRoleStoreSequences, clause: string): Promise<boolean> {
  const [outcome] = await Promise.allSettled([
    check(subjectsOf(clause), { runs: 200, seed: 1, shortest: false }),
  ]);
  return outcome.status === 'rejected';
}

describe('The model of RoleStore', function () {
  this.timeout(300_000);

  for (const clause of SHOWN_BY_SEQUENCES) {
    it(`differs in a sequence when role-store/${clause} is broken`, async () => {
      expect(await isCaught(checkRoleStoreSequences, clause)).to.equal(true);
    });
  }

  for (const clause of SHOWN_BY_STORMS) {
    it(`differs in a storm when role-store/${clause} is broken`, async () => {
      expect(await isCaught(checkRoleStoreStorms, clause)).to.equal(true);
    });
  }

  it('repeats what a seed gave', async () => {
    const failure = (seed: number) =>
      checkRoleStoreSequences(subjectsOf('list-state'), { seed, shortest: false }).then(
        () => '',
        (error: Error) => error.message,
      );
    const failures: string[] = [];
    for (const seed of [7, 7]) failures.push(await failure(seed));
    expect(failures[0]).to.equal(failures[1]).and.not.to.equal('');
  });
});
