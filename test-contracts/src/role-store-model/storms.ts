import {
  after,
  days,
  minutes,
  type PasswordHash,
  type Role,
  type RoleCommand,
  type RoleStore,
  stateOf,
  type Title,
} from '@pinfold/core';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Subject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aKey, aReservation, aToken } from '../fixtures/roles.ts';
import type { ModelOptions } from './sequences.ts';
import { type Actor, KEYS, Storm } from './storm.ts';

/** The commands that change a role. */
const CHANGES: readonly RoleCommand[] = [
  { type: 'set_title', title: 'Another' as Title },
  { type: 'set_title', title: null },
  { type: 'set_password', hash: 'hash' as PasswordHash },
  { type: 'set_password', hash: null },
  { type: 'reset_expiration' },
  { type: 'pin' },
  { type: 'unpin' },
  { type: 'stop' },
];

const actors: fc.Arbitrary<Actor> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      role: fc.nat({ max: 2 }),
      command: fc.constantFrom(...CHANGES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      key: fc.constantFrom(...KEYS),
      renewing: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'commit late' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('clean' as const),
      limit: fc.integer({ min: 1, max: 3 }),
      settling: fc.boolean(),
    }),
  },
);

/** Every stored save was decided from what the save before it had made, and the last one is what is there. */
async function expectOneHistory({ roles, saved, seen }: Storm, port: RoleStore): Promise<void> {
  for (const first of roles) {
    const saves = saved.filter(({ before }) => before.id === first.id);
    saves.sort((one, two) => one.loadedAt - two.loadedAt);
    const states: Role[] = [first];
    for (const save of saves) {
      expect(save.before, 'a save was decided from an older state').to.deep.equal(states.at(-1));
      states.push(save.after);
    }
    expect((await port.load(first.id))?.value, 'the last save').to.deep.equal(states.at(-1));
    for (const role of seen.filter(({ id }) => id === first.id)) {
      expect(states, 'a state that never was').to.deep.include(role);
    }
  }
}

/** Each key published one role at most, and nothing is there of the others. */
async function expectOnePublication(
  { tried, reserved, replayed, now }: Storm,
  port: RoleStore,
): Promise<void> {
  expect(new Set(reserved).size, 'reservations').to.equal(reserved.length);
  for (const key of KEYS) {
    const own = tried.filter(({ publication }) => publication.role.idempotencyKey === aKey(key));
    const ids = new Set(
      own.filter(({ committed }) => committed).map(({ publication }) => publication.role.id),
    );
    expect(ids.size, `roles of key ${key}`).to.be.at.most(1);
    const [id] = ids;
    const [later, until] = [after(now, days(365)), after(now, days(366))];
    const outcome = await port.reserve(aReservation(key, { token: aToken(9_000 + key), now: later, until }));
    const expected = id === undefined ? { kind: 'reserved' } : { kind: 'complete', role: id };
    expect(outcome).to.deep.include(expected);
    const replays = replayed.filter((replay) => replay.key === key);
    expect(
      replays.every(({ role }) => role === id),
      'replays',
    ).to.equal(true);
    for (const { publication } of own) {
      const there = publication.role.id === id;
      const { role, manifest } = publication;
      expect((await port.load(role.id))?.value).to.deep.equal(there ? role : undefined);
      expect(await port.loadManifest(role.archive)).to.equal(there ? manifest : undefined);
      expect((await port.whichAreNamed([role.archive])).has(role.archive)).to.equal(there);
    }
  }
}

/** Each role was claimed once at most, and had ended. */
async function expectOneClaim({ tasks, now }: Storm, port: RoleStore): Promise<void> {
  const claimed = tasks.map(({ role }) => role);
  expect(new Set(claimed).size, 'claims').to.equal(claimed.length);
  for (const id of claimed) {
    const role = (await port.load(id))?.value;
    expect(role && stateOf(role, now), 'a claimed role').to.be.oneOf(['expired', 'deleted']);
  }
}

/**
 * Lets many act on one store at once, over a port and two peers: changes as the use cases make them, publications
 * under the same keys, cleanups. In every other run the calls are put in a random order one by one, in the rest they
 * overlap as they like. Rejects with the fewest actors found whose outcomes fit no order of one after the other.
 *
 * @param create makes a subject over empty data of its own, as for a contract; called for each run.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 * import { checkRoleStoreStorms } from '@pinfold/test-contracts';
 *
 * const create = async () => {
 *   const memory = createMemory();
 *   return { port: memory.roles, peer: async () => memory.peer().roles, dispose: () => memory.close() };
 * };
 * await checkRoleStoreStorms(create, { runs: 2 });
 */
export async function checkRoleStoreStorms(
  create: () => Promise<Subject<RoleStore>>,
  options: ModelOptions = {},
): Promise<void> {
  const { runs = 100, seed, shortest = true } = options;
  const now = fc.constantFrom(after(START, minutes(70)), after(START, days(8)));
  const many = fc.array(actors, { minLength: 2, maxLength: 16, size: 'max' });
  const property = fc.asyncProperty(
    fc.scheduler(),
    fc.boolean(),
    now,
    many,
    async (scheduler, ordered, at, cast) => {
      const subject = await create();
      try {
        const ports = [subject.port, await subject.peer(), await subject.peer()];
        const storm = new Storm(at, ordered ? () => scheduler.schedule(Promise.resolve()) : async () => {});
        await storm.prepare(subject.port);
        const acting = cast.map((actor, n) => storm.act(actor, ports[n % ports.length] as RoleStore, n));
        await scheduler.waitFor(Promise.all(acting));
        await expectOneHistory(storm, subject.port);
        await expectOnePublication(storm, await subject.peer());
        await expectOneClaim(storm, subject.port);
      } finally {
        await subject.dispose();
      }
    },
  );
  await fc.assert(property, {
    numRuns: runs,
    endOnFailure: !shortest,
    ...(seed === undefined ? {} : { seed }),
  });
}
