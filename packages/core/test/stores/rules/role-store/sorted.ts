import {
  after,
  hours,
  type Role,
  type RoleId,
  type RoleOrder,
  type RoleState,
  type RoleStore,
  stateOf,
  type Title,
} from '@pinfold/core';
import { anEvent, aPublication, publishTo, START } from '@pinfold/test-contracts/fixtures';
import { aRoleQuery, type ClauseTable, idsOf, walkList, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const NOON = after(START, hours(12));

/** Three sizes, four ends, two titles, each of several roles; every fifth is deleted. */
function aTie(n: number): Partial<Role> {
  return {
    title: (n % 2 === 0 ? `Even ${n}` : `Odd ${n}`) as Title,
    archiveBytes: 512 * (1 + (n % 3)),
    publishedAt: after(START, hours(n % 2)),
    expiresAt: n % 4 === 0 ? null : after(START, hours(6 * (n % 4))),
    pinned: n % 4 === 0,
    deletedAt: n % 5 === 0 ? NOON : null,
  };
}

async function publishTies(port: RoleStore): Promise<readonly Role[]> {
  const roles: Role[] = [];
  for (const n of [17, 3, 8, 22, 1, 14, 6, 19, 11, 5, 2, 20, 9, 16, 4, 13, 7, 21, 10, 18, 12, 15]) {
    roles.push(await publishTo(port, aPublication(n, aTie(n))));
  }
  return roles;
}

function inOrder(roles: readonly Role[], order: RoleOrder): readonly Role[] {
  const rank = ({ archiveBytes, expiresAt }: Role): number =>
    order === 'largest' ? -archiveBytes : (expiresAt ?? Number.POSITIVE_INFINITY);
  return roles.toSorted((one, other) => {
    const [mine, theirs] = [rank(one), rank(other)];
    return mine === theirs ? (one.id > other.id ? -1 : 1) : mine < theirs ? -1 : 1;
  });
}

function fits(role: Role, state: RoleState | undefined): boolean {
  const now = stateOf(role, NOON);
  return state === undefined ? now !== 'deleted' : now === state;
}

async function change(port: RoleStore, id: RoleId | undefined, changed: Partial<Role>): Promise<void> {
  const found = id && (await port.load(id));
  if (found !== undefined) await port.save({ ...found.value, ...changed }, found.version, [anEvent()]);
}

export const sortedClauses: ClauseTable<RoleStore> = {
  'role-store/list-sorted: roles are sorted by end, soonest first and those without one last, or by the size of the archive, largest first, equal ones by id; under any state and search, pages by cursor give every role whose end stays exactly once, even if others are published or changed meanwhile':
    withPeer(async (port, other) => {
      const roles = await publishTies(port);
      const theirs = aPublication(90, { account: 'globex' as Role['account'], archiveBytes: 9_999 });
      await publishTo(port, theirs);
      for (const order of ['ending', 'largest'] as const) {
        for (const state of [undefined, 'published', 'expired', 'deleted'] as const) {
          for (const search of [undefined, 'odd']) {
            const wanted = roles.filter(
              (role) => fits(role, state) && (role.title ?? '').toLowerCase().includes(search ?? ''),
            );
            const expected = inOrder(wanted, order).map(({ id }) => id);
            for (const limit of [1, 2, 3, 100]) {
              const pages = await walkList(other, aRoleQuery({ now: NOON, order, state, search, limit }));
              const what = `${order}, ${state ?? 'all'}, ${search ?? 'any title'}, ${limit} a page`;
              expect(pages.flatMap(idsOf), what).to.deep.equal(expected);
              const count = Math.max(1, Math.ceil(expected.length / limit));
              if (search === undefined) expect(pages, what).to.have.lengthOf(count);
            }
          }
        }
      }
      const expected = inOrder(
        roles.filter((role) => fits(role, undefined)),
        'ending',
      ).map(({ id }) => id);
      const moved = expected[0];
      const pages = await walkList(
        port,
        aRoleQuery({ now: NOON, order: 'ending', limit: 3 }),
        async (page) => {
          if (page === 1) await change(other, moved, { expiresAt: null, pinned: true });
          await change(other, expected[3 * page], { title: `Renamed ${page}` as Title });
          await change(other, expected[3 * page - 2], { deletedAt: NOON });
          await publishTo(other, aPublication(100 + page, { expiresAt: START }));
        },
      );
      const stayed = (ids: readonly RoleId[]) => ids.filter((id) => id !== moved);
      expect(stayed(pages.flatMap(idsOf)), 'meanwhile').to.deep.equal(stayed(expected));
    }),
};
