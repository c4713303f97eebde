import {
  anAccount,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRole,
  aTakedown,
  aTokenHash,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, days, hours, type NameToken } from '../../src/index.ts';
import type { AnyProgram } from '../../src/records.ts';
import { STORE_SCHEMA } from '../../src/stores/create-persistence.ts';
import { eventLocks } from '../../src/stores/events.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const { programs } = STORE_SCHEMA;

/** Programs whose change decides whether they may use the reserved space. */
const BY_CHANGE = ['accounts.save', 'roles.save'];

/** Programs that free space on the disk, or end access. */
const FREEING = [
  'api_keys.purge',
  'api_keys.revoke',
  'attempts.purge',
  'attempts.purge_windows',
  'erasures.advance',
  'erasures.begin',
  'erasures.claim_archives',
  'history.record_expirations',
  'history.remove',
  'pairings.purge',
  'roles.claim_for_cleanup',
  'roles.drop_titles',
  'roles.remove_reservations',
  'roles.settle_cleanup',
  'roles.store_comparison',
  'sessions.end',
  'sessions.purge',
  'sessions.purge_links',
  'takedowns.claim_purge',
  'takedowns.take_down',
  'views.drop',
];

/** Opens stores that record for each writing program whether it may use the reserved space. */
function openStores() {
  const database = newDatabase();
  const reserveUses: boolean[] = [];
  const write: typeof database.write = (program, args) => {
    reserveUses.push(program.usesReserve(args));
    return database.write(program, args);
  };
  const stores = storesOver(Object.assign(database.peer(), { write }));
  return { ...stores, reserveUses };
}

describe('the programs of the stores', () => {
  it('have unique names of store and method', () => {
    for (const { name } of programs) expect(name).to.match(/^[a-z]+(?:_[a-z]+)*\.[a-z]+(?:_[a-z]+)*$/);
    expect(new Set(programs.map(({ name }) => name)).size).to.equal(programs.length);
  });

  it('have names of store and method in lookups, too', async () => {
    const database = newDatabase();
    const lookups: string[] = [];
    const peek: typeof database.peek = (lookup, key) => {
      lookups.push(lookup.name);
      return database.peek(lookup, key);
    };
    const stores = storesOver(Object.assign(database.peer(), { peek }));
    await stores.roles.load(aRole(1).id);
    await stores.names.resolve('0'.repeat(22) as NameToken);
    expect(lookups).to.deep.equal(['roles.load', 'names.resolve']);
  });

  it('return copies of values that a database looks up with and without a promise', async () => {
    const database = newDatabase();
    const atOnce = storesOver(database).roles;
    const peek: typeof database.peek = (lookup, key) => Promise.resolve(database.peek(lookup, key)) as never;
    const byPromise = storesOver(Object.assign(database.peer(), { peek })).roles;
    const role = await publishTo(atOnce, aPublication(1));
    for (const roles of [atOnce, byPromise]) {
      expect(await roles.load(aRole(2).id)).to.equal(undefined);
      expect((await roles.load(role.id))?.value).to.deep.equal(role);
    }
  });

  it('lock the accounts of their events, and the service only for events of no account', () => {
    const own = anEvent();
    expect(eventLocks([own, anEvent()])).to.deep.equal([`account ${own.account}`]);
    expect(eventLocks([anEvent({ account: null })])).to.deep.equal(['service']);
  });

  it('may use the reserved space of the disk to free space and to end access, and for nothing else', () => {
    const writing = programs.filter((one): one is AnyProgram => 'locks' in one);
    const using = writing.filter(
      ({ name, usesReserve }) => !BY_CHANGE.includes(name) && usesReserve(undefined as never),
    );
    expect(using.map(({ name }) => name).toSorted()).to.deep.equal(FREEING);
  });

  it('do not run if there is nothing to change', async () => {
    const { apiKeys, attempts, history, reserveUses, pairings, roles, sessions, takedowns, views } =
      openStores();
    const later = after(START, days(1));
    await views.add([]);
    await apiKeys.touch(anApiKeyId(1), START, START);
    await apiKeys.revoke(anApiKeyId(1), START, []);
    await sessions.end(aTokenHash(1), []);
    await takedowns.lift(aTakedown(1), START, []);
    await history.recordExpired([]);
    await history.recordExpired([anEvent({ pin: aRole(1).id })]);
    await roles.purge(later, 10);
    for (const { purge } of [apiKeys, attempts, pairings, sessions]) {
      expect(await purge(later, 10)).to.equal(0);
    }
    expect(reserveUses).to.deep.equal([]);
    await apiKeys.create(anApiKey(1, { lastUsedAt: after(START, hours(1)) }), []);
    await apiKeys.touch(anApiKeyId(1), START, START);
    expect(reserveUses).to.have.length(1);
  });

  it('may use the reserved space to block an account, and not to unblock it', async () => {
    const { accounts, reserveUses } = openStores();
    const { name } = anAccount(1);
    const blocked = { reason: 'It is a copy of a bank.', sites: 'keep', at: START } as const;
    await accounts.save(anAccount(1, { blocked }), undefined, []);
    await accounts.save(anAccount(1), (await accounts.load(name))?.version, []);
    expect(reserveUses).to.deep.equal([true, false]);
  });

  it('may use the reserved space to stop a publication, and for no other change of it', async () => {
    const { roles, reserveUses } = openStores();
    await publishTo(roles, aPublication(1));
    const role = await roles.load(aRole(1).id);
    if (role === undefined) throw new Error('the role is not there');
    reserveUses.length = 0;
    await roles.save({ ...role.value, title: null }, role.version, []);
    await roles.save({ ...role.value, deletedAt: START }, role.version, []);
    expect(reserveUses).to.deep.equal([false, true]);
  });
});
