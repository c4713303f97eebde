import { aManifest, aReservation, aRole, aToken, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { MAX_SEARCHED } from '../../src/adapter.ts';
import {
  after,
  duration,
  type Page,
  type Role,
  type RoleCursor,
  type RoleQuery,
  seconds,
} from '../../src/index.ts';
import type { MovedRecord } from '../../src/moving.ts';
import { ROLES } from '../../src/records/tables/role-tables.ts';
import { type Database, find, type Steps } from '../../src/records.ts';
import { newDatabase, type Stores, storesOver } from './memory-stores.ts';

const MANY = 3_200;
const NOW = after(START, seconds(20));
/** Among the roles from the newest to the oldest. */
const FEW: ReadonlySet<number> = new Set([1, 2_100, 3_199]);

/** Stores over a database that counts the rows that queries read. */
function openCounted() {
  const memory = newDatabase();
  let count = 0;
  function* counting<Result>(steps: Steps<Result, 'read'>): Steps<Result, 'read'> {
    let next = steps.next();
    while (next.done !== true) {
      const { action } = next.value;
      const answer: unknown = yield next.value;
      if (action.kind === 'scan') {
        const inRange = yield* find(ROLES, action.where, { limit: MANY, select: ['id'] });
        count += action.mayScanMore ? inRange.length : Math.min(action.maxScanned, inRange.length);
      } else count += Array.isArray(answer) ? answer.length : 1;
      next = steps.next(answer);
    }
    return next.value;
  }
  const read: Database['read'] = (query, args, signal) =>
    memory.read({ ...query, run: (own) => counting(query.run(own) as never) }, args, signal);
  const stores = storesOver(Object.assign(memory.peer(), { read }));
  return { stores, readSoFar: () => count };
}

async function stock({ imports }: Stores, roles: readonly Role[]): Promise<void> {
  const { fingerprint } = aReservation(1);
  const stored = { fingerprint, warnings: [], isExpiryRecorded: false, manifest: aManifest(1) };
  await imports.begin(aToken(1));
  for (let n = 0; n < roles.length; n += 200) {
    const records = roles.slice(n, n + 200).map((role): MovedRecord => {
      return { kind: 'publication', value: { ...role, ...stored, lastEventAt: START } };
    });
    await imports.saveRecords(aToken(1), records);
  }
  await imports.end(aToken(1));
}

async function walk({ roles }: Stores, query: RoleQuery): Promise<readonly Page<Role>[]> {
  const pages: Page<Role>[] = [];
  let next: RoleCursor | undefined;
  do {
    const page = await roles.list({ ...query, after: next });
    pages.push(page);
    next = page.next;
  } while (next !== undefined);
  return pages;
}

/** Roles from the newest and largest to the oldest and smallest; those in the state that `isInState` names. */
function plan(state: 'published' | 'expired', isInState: (n: number) => boolean): readonly Role[] {
  return Array.from({ length: MANY }, (_, n) => {
    const isPublished = isInState(n) === (state === 'published');
    return aRole(n, {
      publishedAt: after(START, duration(MANY - n)),
      expiresAt: after(START, isPublished ? seconds(30 + n) : seconds(9 + (n % 9))),
      archiveBytes: MANY - n,
    });
  });
}

const { account } = aRole(1);
const QUERY = { account, now: NOW, search: undefined, idempotencyKey: undefined, after: undefined, limit: 2 };

describe('a list of the roles in a state among thousands of an account', () => {
  for (const state of ['published', 'expired'] as const) {
    for (const order of [undefined, 'ending', 'largest'] as const) {
      it(`reads a bounded number for each page if few are in it: ${state}, ${order ?? 'newest'} first`, async () => {
        const { stores, readSoFar } = openCounted();
        const planned = plan(state, (n) => FEW.has(n));
        await stock(stores, planned);
        const before = readSoFar();
        const pages = await walk(stores, { ...QUERY, state, order });
        expect(pages.map(({ items }) => items.length)).to.deep.equal([2, 1]);
        const found = pages.flatMap(({ items }) => items).map(({ id }) => id);
        const few = [...FEW].flatMap((n) => planned[n] ?? []);
        const soonest = few.toSorted((one, other) => Number(one.expiresAt) - Number(other.expiresAt));
        expect(found).to.deep.equal((order === 'ending' ? soonest : few).map(({ id }) => id));
        expect(readSoFar() - before).to.be.lessThan(pages.length * (MAX_SEARCHED + 20));
      });
    }
  }

  it('scans on if many are in the state', async () => {
    const { stores } = openCounted();
    const planned = plan('published', (n) => n >= 2_100);
    await stock(stores, planned);
    const { items } = await stores.roles.list({ ...QUERY, state: 'published', order: undefined });
    expect(items.map(({ id }) => id)).to.deep.equal(planned.slice(2_100, 2_102).map(({ id }) => id));
  });
});
