import type { CleanupRequest, RoleStore } from '@pinfold/core';
import type { ModelOptions } from '@pinfold/test-contracts';
import {
  checkSequences,
  manners,
  methodsFor,
  type Reachable,
  type Sequences,
  stepsFor,
} from '@pinfold/test-contracts/internal';
import fc from 'fast-check';
import { openRoleStoreModel } from './model/role-store-model.ts';
import { anArchive } from './notes.ts';
import { Side } from './side.ts';
import {
  change,
  comparison,
  instant,
  limits,
  made,
  outcome,
  reservation,
  search,
  token,
  type Values,
  values,
} from './values.ts';

const step = stepsFor<Side, Values>();
const call = methodsFor<Side, Values>();
const oneOf = fc.constantFrom;
/** The latest of what there is, mostly. */
const back = fc.nat({ max: 3 });
const place = fc.nat({ max: 1 });
const events = fc.nat({ max: 2 });
const authority = oneOf(undefined, undefined, 'account' as const, 'operator' as const);
/** No 32 bits. */
const MANY = 2 ** 32;
const state = oneOf(undefined, 'published' as const, 'expired' as const, 'deleted' as const);

const cleanup = (given: Values): fc.Arbitrary<CleanupRequest> =>
  fc.record({
    now: instant(given),
    endedBefore: instant(given),
    until: oneOf(...given.instants),
    token,
    limit: oneOf(given.claimed, given.claimed, given.claimed, 0, given.claimed === 1 ? 1 : MANY),
  });

/** Together everything that can be asked. */
const LOOKS = [
  call(1, 'roles', () => []),
  call(1, 'rest', (given) => [instant(given), instant(given), instant(given), oneOf(1, 2, 3, MANY)]),
  call(1, 'lists', (given) => [fc.constant(given), instant(given), state, search(given)]),
];

const SEQUENCES: Sequences<Side, Values> = {
  reference: async () => {
    const { roles, history } = openRoleStoreModel();
    return { port: new Side(roles), history, dispose: async () => {} };
  },
  values,
  turns: 100,
  steps: [
    call(
      6,
      'publish',
      (given) => [reservation(given), made(given)],
      (asked) => asked.token,
    ),
    call(
      6,
      'reserve',
      (given) => [reservation(given)],
      (asked) => asked.token,
    ),
    call(2, 'renew', (given) => [back, instant(given)]),
    call(1, 'release', () => [back]),
    call(3, 'commit', (given) => [back, place, made(given), instant(given), limits(given)]),
    call(2, 'load', () => [back, place]),
    call(2, 'save', (given) => [back, place, change(given), events, authority]),
    step(
      4,
      'load and save',
      (given) => [back, place, change(given), events],
      async (side, n, handle, changed, count) => [
        await side.load(n, handle),
        await side.save(n, handle, changed, count),
      ],
    ),
    call(
      4,
      'claim',
      (given) => [cleanup(given)],
      (claim) => claim.token,
    ),
    call(3, 'settle', (given) => [back, outcome(given), events]),
    call(1, 'purge', (given) => [instant(given), oneOf(0, 1, 2, 1_000, MANY)]),
    call(2, 'saveComparison', (given) => [comparison(given), oneOf(0, 0, 0, 1, 2)]),
    call(3, 'list', (given) => [
      fc.record({
        account: oneOf(undefined, ...given.accounts),
        now: instant(given),
        state,
        search: fc.option(search(given), { nil: undefined, freq: 2 }),
        order: oneOf(undefined, 'ending', 'largest'),
        limit: oneOf(1, 2, 3, 99, 100),
      }),
      fc.option(back, { nil: undefined, freq: 2 }),
      oneOf(-1, 0, 0, 1),
    ]),
    call(1, 'walkArchives', () => [
      fc.option(fc.nat({ max: 8 }).map(anArchive), { nil: undefined }),
      oneOf(1, 2, 100, MANY),
    ]),
    call(2, 'loadAborted', () => [back, manners]),
  ],
  read: {
    weight: 1,
    callsOf: (given) => fc.oneof(...LOOKS.map(({ callsOf }) => callsOf(given))),
  },
};

/**
 * Runs random sequences of everything a store can do, over a port and a peer in turn, beside the model. Rejects with the
 * shortest sequence found in which the two differ.
 */
export function checkRoleStoreSequences(
  create: () => Promise<Reachable<RoleStore>>,
  options: ModelOptions = {},
): Promise<void> {
  const sides = async (): Promise<Reachable<Side>> => {
    const subject = await create();
    const { history } = subject;
    const side = new Side(subject.port);
    return {
      port: side,
      peer: async () => new Side(await subject.peer(), side.notes),
      ...(history === undefined ? {} : { history: () => history() }),
      dispose: () => subject.dispose(),
    };
  };
  return checkSequences(SEQUENCES, sides, options);
}
