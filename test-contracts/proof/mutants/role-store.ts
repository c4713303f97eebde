import type { RoleStore } from '@pinfold/core';
import { checkRoleStoreSequences, roleStoreContract } from '@pinfold/test-contracts';
import { derived } from './derive.ts';
import type { StoreTable } from './over-memory.ts';
import { roleStoreShape } from './role-store-shape.ts';
import { roleStores, stories } from './role-store-stories.ts';

const { mutant, table } = roleStores;

/** Mutants whose state is wrong: random sequences of calls show it, too. */
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
  'a commit ignores whether the key was completed',
  'save: answers.kind.stuck',
];

const mutants = [...derived(roleStoreShape, mutant), ...stories];

const inSequences = SHOWN_BY_SEQUENCES.map((how) => {
  const known = mutants.find((one) => one.how === how);
  if (known === undefined) throw new Error(`there is no mutant ${how}`);
  return { ...known, how: `${how}, in a sequence`, breaks: ['sequences'] };
});

export const roleStoreTable: StoreTable<RoleStore> = table(roleStoreContract, [...mutants, ...inSequences], {
  sequences: { check: checkRoleStoreSequences, runs: 400 },
});
