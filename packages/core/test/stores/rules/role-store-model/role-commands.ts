import type * as T from '@pinfold/core';
import { after, before, days, decide, defaultLimits, duration, hours, minutes } from '@pinfold/core';
import { ROLE_STATES } from '@pinfold/core/internal';
import type { StoreSubject } from '@pinfold/test-contracts';
import { aKey, anEvent, aPublication, aReservation, leaseOf } from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aRoleQuery,
  aTask,
  everything,
  walkArchives,
  walkEvents,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import type { HistoryStores } from '../stores.ts';
import { type ModelRole, RoleModel, type Snapshot, waitingSince } from './role-model.ts';

/** Two handles of one database: that of a command, and another. */
type Handles = readonly [T.RoleStore, T.RoleStore];

/** Makes random calls whose answers must be the model's. Some need a lease, a task or a role. */
function commands<Inputs>(
  name: string,
  needs: 'leases' | 'tasks' | 'rows' | undefined,
  inputs: fc.Arbitrary<Inputs>,
  run: (model: RoleModel, handles: Handles, inputs: Inputs) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<RoleModel, Handles>> {
  return fc.tuple(inputs, fc.boolean()).map(([values, isPeer]) => ({
    check: (model) => needs === undefined || model[needs].length > 0,
    run: (model, [port, peer]) => run(model, isPeer ? [peer, port] : [port, peer], values),
    toString: () => `\n  ${name} ${JSON.stringify(values)} by the ${isPeer ? 'peer' : 'port'}`,
  }));
}

const oneOf = fc.constantFrom;
/** An index from the end, so that shrinking prefers the newest. */
const back = fc.nat({ max: 9 });
const ACCOUNTS = ['acme', 'globex'] as T.AccountId[];
const pageSize = oneOf(1, 2, 100);
const ago = oneOf(duration(0), duration(1), minutes(1), days(7));
const wait = oneOf(duration(1), minutes(1), minutes(10), days(7));
const hash = oneOf(null, 'hash 1' as T.PasswordHash, 'hash 2' as T.PasswordHash);
const title = oneOf(null, 'One' as T.Title, 'Two' as T.Title);
const change: fc.Arbitrary<T.RoleCommand> = fc.oneof(
  fc.record({ type: oneOf('set_title' as const), title }),
  fc.record({ type: oneOf('set_password' as const), hash }),
  fc.record({ type: oneOf('reset_expiration', 'pin', 'unpin', 'create_grant', 'stop') }),
);
const request = fc.record({
  account: oneOf(...ACCOUNTS),
  key: fc.nat({ max: 15 }).map(aKey),
  fingerprint: oneOf(...(['one', 'one', 'one', 'two'] as T.Fingerprint[])),
  /** How far ahead the clock of its node is. */
  ahead: oneOf(...[0, 0, 0, 2].map(hours)),
});
const publication = fc.record({ n: back, more: oneOf(0, 0, 1_000), passwordHash: hash });
const oneOrTwo = fc.array(change, { minLength: 1, maxLength: 2 });
const changes = fc.record({ n: back, age: oneOf(0, 0, 0, 1, 2), all: oneOrTwo });
const claims = fc.record({ limit: pageSize, length: ago });
const settlement = fc.record({ n: back, kind: oneOf('removed', 'failed') });
const query = fc.record({
  account: oneOf(undefined, ...ACCOUNTS),
  state: oneOf(undefined, ...ROLE_STATES),
  search: oneOf(undefined, undefined, 'one', 'site'),
  order: oneOf(undefined, 'ending' as const, 'largest' as const),
  limit: pageSize,
});

function pick<Item>(items: readonly Item[], n: number): Item {
  return items.at(-1 - (n % items.length)) as Item;
}

/** Loads a role, and compares it with the model's. */
async function compareLoaded(model: RoleModel, store: T.RoleStore, id: T.RoleId): Promise<void> {
  const loaded = await store.load(id);
  const row = model.roles.get(id);
  expect(loaded?.value).to.deep.equal(row?.role);
  const isSeen = row?.snapshots.at(-1)?.change === row?.change;
  if (loaded && row && !isSeen) row.snapshots.push({ ...loaded, change: row.change });
}

/** Saves the result of a command on a snapshot; undefined if it changes nothing. */
async function save(now: T.Instant, store: T.RoleStore, old: Snapshot, command: T.RoleCommand) {
  const decision = decide(old.value, command, now, defaultLimits);
  if (decision.kind === 'refused' || decision.events.length === 0) return undefined;
  const events = decision.events.map((draft) => anEvent({ ...draft, pin: old.value.id }));
  return { ...(await store.save(decision.role, old.version, events)), decision, command };
}

/** Saves concurrent commands, all decided on one snapshot, then decides those with a conflict again. */
async function saveConcurrently(
  model: RoleModel,
  handles: Handles,
  row: ModelRole,
  age: number,
  all: T.RoleCommand[],
) {
  await compareLoaded(model, handles[0], row.role.id);
  const snapshot = pick(row.snapshots, age);
  const saving = all.map((command, n) => save(model.now, handles[n] ?? handles[0], snapshot, command));
  const answers = (await Promise.all(saving)).filter((each) => each !== undefined);
  // The model saves the store's winner first, so any other is a conflict.
  for (const { kind, decision } of answers.toSorted((one) => (one.kind === 'saved' ? -1 : 1))) {
    expect({ kind }).to.deep.equal(model.save(row, snapshot, decision));
  }
  await compareLoaded(model, handles[1], row.role.id);
  for (const { kind, command } of answers) {
    if (kind === 'conflict') await saveConcurrently(model, handles, row, 0, [command]);
  }
}

const OFTEN = [
  commands('reserve', undefined, request, async (model, [store], { ahead, ...values }) => {
    const now = after(model.now, ahead);
    const times = { now, until: after(now, minutes(1)) };
    const reservation = aReservation(model.leases.length + 1, { ...values, ...times });
    expect(await store.reserve(reservation)).to.deep.equal(model.reserve(reservation));
    model.leases.push(leaseOf(reservation));
  }),
  commands('commit', 'leases', publication, async (model, [store, peer], { n, more, passwordHash }) => {
    const lease = pick(model.leases, n);
    const { account, key: idempotencyKey } = lease;
    const number = more + model.leases.indexOf(lease);
    const times = { publishedAt: model.now, expiresAt: after(model.now, days(7)) };
    const own = { account, idempotencyKey, passwordHash, archiveBytes: number % 3, ...times };
    const warnings = [{ rule: 'source_map' as const, path: `${number}.map` }];
    const commit = { ...aPublication(number, own), warnings };
    const answer = await store.commit(commit, lease, [anEvent({ pin: commit.role.id })]);
    expect(answer).to.deep.equal(model.commit(commit, lease));
    await compareLoaded(model, peer, commit.role.id);
  }),
  commands('change', 'rows', changes, (model, handles, { n, age, all }) =>
    saveConcurrently(model, handles, pick(model.rows, n), age, all),
  ),
  commands('settle', 'tasks', settlement, async (model, [store, peer], { n, kind }) => {
    const task = pick(model.tasks, n);
    const outcome = { kind, retryAt: after(model.now, minutes(10)) };
    const event = anEvent({ type: 'pin.expired', pin: task.role });
    await store.settleCleanup(task, outcome, [event]);
    model.settle(task, outcome, event);
    await compareLoaded(model, peer, task.role);
  }),
];

const RARELY = [
  commands('wait', undefined, wait, async ({ clock }, _, length) => clock.advance(length)),
  commands('renew', 'leases', back, async (model, [store], n) => {
    const [lease, until] = [pick(model.leases, n), after(model.now, minutes(1))];
    expect(await store.renew(lease, until)).to.deep.equal(model.renew(lease, until));
  }),
  commands('release', 'leases', back, async (model, [store], n) => {
    await store.release(pick(model.leases, n));
    model.release(pick(model.leases, n));
  }),
  commands('claim', undefined, claims, async (model, [store, peer], { limit, length }) => {
    const n = 10_000 + model.tasks.length;
    const request = aClaim(n, model.now, { endedBefore: before(model.now, length), limit });
    const waiting = model.claimable(request.endedBefore);
    const claimed = model.rows.filter(({ claim, claimableAt }) => claim && Number(claimableAt) > model.now);
    const tasks = await store.claimForCleanup(request);
    const taken = tasks.map(({ role }) => model.roles.get(role) as ModelRole);
    expect(tasks).to.deep.equal(taken.map(({ role, failures }) => aTask(role, n, failures)));
    expect(new Set(taken)).to.have.lengthOf(Math.min(limit, waiting.length));
    // While there are other claims, roles of accounts without one come first.
    const isFree = ({ role }: ModelRole) => claimed.every((other) => other.role.account !== role.account);
    expect(taken.filter(isFree)).to.have.lengthOf(Math.min(limit, waiting.filter(isFree).length));
    const byAccount = Map.groupBy(waiting, ({ role }) => role.account).values();
    for (const group of claimed.length === 0 ? [waiting] : byAccount) {
      const own = taken.filter((row) => group.includes(row));
      expect(own.map(waitingSince)).to.deep.equal(group.slice(0, own.length).map(waitingSince));
    }
    expect(waiting).to.include.members(taken);
    model.tasks.push(...tasks);
    model.claim(taken, request);
    for (const row of taken) await compareLoaded(model, peer, row.role.id);
  }),
  commands('purge', undefined, ago, async (model, [store], length) => {
    const begunBefore = before(model.now, length);
    expect(await store.purge(begunBefore, 100)).to.equal(model.purge(begunBefore));
  }),
  commands('list', undefined, query, async (model, [store], { order, ...values }) => {
    const isOrdered = values.account !== undefined && values.state !== 'deleted';
    const listQuery = aRoleQuery({ now: model.now, ...values, order: isOrdered ? order : undefined });
    expect(await everything(store, listQuery)).to.deep.equal(model.list(listQuery));
    const archives = model.rows.flatMap(({ role, manifest }) => (manifest ? [role.archive] : []));
    expect(await walkArchives(store, values.limit)).to.deep.equal(archives.toSorted());
  }),
];

/** Makes random calls by two handles of a role store, and compares each answer with the model's. */
export async function checkRoleStore(open: () => Promise<StoreSubject<HistoryStores>>, runs: number) {
  const sequences = fc.commands([...OFTEN, ...OFTEN, ...OFTEN, ...RARELY], { maxCommands: 400, size: 'max' });
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const subject = await open();
    try {
      const model = new RoleModel();
      const real: Handles = [subject.port.roles, (await subject.peer()).roles];
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      for (const { role, manifest, events } of model.rows) {
        expect(await real[0].loadManifest(role.archive)).to.equal(manifest);
        const recorded = await walkEvents(subject.port, { pin: role.id });
        expect(recorded.map(({ type }) => type).toReversed()).to.deep.equal(events);
      }
    } finally {
      await subject.dispose();
    }
  });
  const plugins = [fc.interruptAfterTimeLimit(60_000)];
  await fc.assert(property, { numRuns: runs, includeErrorInReport: true, plugins });
}
