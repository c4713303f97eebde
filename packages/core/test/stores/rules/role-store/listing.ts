import {
  type AccountId,
  after,
  duration,
  type Filename,
  hours,
  minutes,
  type Role,
  type RoleId,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import { foldForSearch } from '@pinfold/core/internal';
import { aPublication, aReservation, aRole, publishTo, START } from '@pinfold/test-contracts/fixtures';
import {
  aRoleQuery,
  type ClauseTable,
  changeRole,
  everything,
  idsOf,
  newestFirst,
  SIGNS,
  walkList,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

/** Texts that become much longer when folded. */
const FOLDED: string = foldForSearch('\ufdfa'.repeat(60));

/** Each title, and the folded texts that find it. */
const SEARCHES: readonly (readonly [title: string | null, found: readonly string[]])[] = [
  ['Ünder_Score 100% Café', ['ünder_score', '100%', 'r_s', '_', '%', 'café', 'ünder']],
  ['ＡＢＣ\\d [a-z]* "x" \'y\'', ['abc', '\\', '[a-z]*', '"x"', "'y'", 'c\\d']],
  ['ΣΊΣΥΦΟΣ İstanbul Straße 🧭 ①', ['🧭', 'straße 🧭 1', foldForSearch('ΣΊΣΥΦΟΣ'), 'stanbul']],
  ...['1', '2'].map((end) => [`${'x'.repeat(250)}${end}`, [`${'x'.repeat(250)}${end}`]] as const),
  ['\ufdfa'.repeat(60), [FOLDED]],
  [null, []],
];

/** Each original file name, and the folded texts that find it. */
const FILES: readonly (readonly [name: string, found: readonly string[]])[] = [
  ['Dist_V2 (ｆｉｎａｌ).ZIP', ['dist_v2 (final).zip', '_v2', '(final)', 't_v']],
  ['Katalog Größe 100%.html', ['größe 100%', '0%.html']],
];

/** Similar accounts that folding, trimming or a pattern would confuse with it. */
const OTHER_ACCOUNTS = ['Acme', 'acme ', 'acm', 'acme2', 'a%', '____', 'acme/b'] as AccountId[];

/** Roles of three instants, several of each, published in another order than they are listed in. */
async function publishScattered(port: RoleStore): Promise<readonly Role[]> {
  const roles: Role[] = [];
  for (const n of [5, 2, 8, 1, 9, 3, 7, 4, 6]) {
    const publishedAt = after(START, duration(1_000 * (n % 3)));
    roles.push(await publishTo(port, aPublication(n, { publishedAt })));
  }
  return roles;
}

function rename(port: RoleStore, id: RoleId, title: string | null): Promise<void> {
  return changeRole(port, id, { title: title as Title | null });
}

/** Publishes titles with one sign in each, and searches for each of them. */
async function searchSigns(port: RoleStore, other: RoleStore): Promise<void> {
  const account = 'signs' as AccountId;
  const titles = ['ty', ...SIGNS.map((sign) => `t${sign}y`)].filter((each) => !/\p{Cc}/u.test(each));
  for (const [n, title] of titles.entries()) {
    await publishTo(port, aPublication(1_000 + n, { account, title: title as Title }));
  }
  for (const search of new Set(titles.map(foldForSearch))) {
    const found = await everything(other, aRoleQuery({ account, search }));
    const expected = titles.filter((title) => foldForSearch(title).includes(search));
    expect(
      found.map(({ title }) => title),
      JSON.stringify(search),
    ).to.have.members(expected);
  }
}

export const listingClauses: ClauseTable<RoleStore> = {
  "role-store/list-order: roles are listed newest first by (publishedAt, id), only the account's own; without an account, those of all":
    async ({ port, peer }) => {
      const roles = await publishScattered(port);
      const others: Role[] = [];
      for (const [n, account] of OTHER_ACCOUNTS.entries()) {
        others.push(await publishTo(port, aPublication(100 + n, { account })));
      }
      await port.reserve(aReservation(50));
      const all = await walkList(port, aRoleQuery({ account: undefined, limit: 4 }));
      expect(all.flatMap(idsOf)).to.deep.equal(newestFirst([...roles, ...others]));
      const part = others[3]?.id.slice(0, 20) ?? '';
      const found = await everything(port, aRoleQuery({ account: undefined, search: part }));
      expect(found.map(({ id }) => id)).to.deep.equal([others[3]?.id]);
      const page = await (await peer()).list(aRoleQuery());
      expect(idsOf(page)).to.deep.equal(newestFirst(roles));
      expect(page.items).to.have.deep.members(roles);
      expect(page.next).to.equal(undefined);
      for (const [n, account] of OTHER_ACCOUNTS.entries()) {
        expect(idsOf(await port.list(aRoleQuery({ account }))), account).to.deep.equal([aRole(100 + n).id]);
      }
      for (const account of ['nobody', 'ACME', ' acme', 'acme  ', 'a_', '%'] as AccountId[]) {
        expect((await port.list(aRoleQuery({ account }))).items, account).to.deep.equal([]);
      }
    },
  'role-store/list-pages: pages by cursor give every role exactly once, even of one instant and if others are published or changed meanwhile; the last page has no cursor':
    withPeer(async (port, other) => {
      const roles = await publishScattered(port);
      const expected = newestFirst(roles);
      for (const limit of [1, 2, 3, 4, 9, 10, 100]) {
        const pages = await walkList(port, aRoleQuery({ limit }));
        expect(pages.flatMap(idsOf), `${limit} at once`).to.deep.equal(expected);
        expect(pages, `${limit} at once`).to.have.lengthOf(Math.max(1, Math.ceil(expected.length / limit)));
      }
      const placeBetween = { rank: START + 1_001, id: aRole(99).id };
      const rest = newestFirst(roles.filter(({ publishedAt }) => publishedAt < placeBetween.rank));
      expect(
        idsOf(await other.list(aRoleQuery({ after: placeBetween }))),
        'after a place between roles',
      ).to.deep.equal(rest);
      const meanwhile = async (page: number) => {
        const publishedAt = after(START, hours(page));
        await publishTo(other, aPublication(200 + page, { publishedAt }));
        await rename(other, expected[expected.length - page] as RoleId, `renamed ${page}`);
        const last = expected[2 * page - 1];
        if (last !== undefined) await changeRole(other, last, { deletedAt: START });
      };
      const pages = await walkList(port, aRoleQuery({ limit: 2 }), meanwhile);
      expect(pages.flatMap(idsOf), 'meanwhile').to.deep.equal(expected);
    }),
  'role-store/list-search: a folded text is found in the folded title as it is now, in the folded original file name and in the id, taken literally':
    withPeer(async (port, other, { peer }) => {
      const roles: Role[] = [];
      for (const [n, [title]] of SEARCHES.entries()) {
        roles.push(await publishTo(port, aPublication(n + 1, { title: title as Title | null })));
      }
      await publishTo(port, aPublication(90, { account: 'globex' as AccountId, title: '_%\\🧭' as Title }));
      const find = async (search: string) =>
        (await walkList(other, aRoleQuery({ search, limit: 2 }))).flatMap((page) =>
          page.items.map(({ title }) => title),
        );
      for (const [title, texts] of SEARCHES) {
        for (const text of texts) expect(await find(text), text).to.deep.equal([title]);
      }
      for (const absent of [
        ...['a_c', 'ünd%', '\\\\', 'zzz', '100%%', '__', 'undefined', 'null', '..', 'a*c', '[abc]'],
        ...['\0', '100%\0', 'key-1', 'site zip', 'acme', `${FOLDED}x`],
      ]) {
        expect(await find(absent), absent).to.deep.equal([]);
      }
      const [first, last] = [roles[0], roles.at(-1)] as [Role, Role];
      expect(await find(aRole(90).id), 'an id of another account').to.deep.equal([]);
      expect(await find(last.id), 'a whole id').to.deep.equal([null]);
      expect(await find(last.id.slice(3, 20)), 'a part of an id').to.deep.equal([null]);
      for (const [n, [name, texts]] of FILES.entries()) {
        const titled = { title: `File ${n}` as Title, originalFilename: name as Filename };
        await publishTo(port, aPublication(70 + n, titled));
        for (const text of texts) expect(await find(text), text).to.deep.equal([titled.title]);
      }
      expect(await find('site.zip'), 'every other file').to.have.lengthOf(SEARCHES.length);
      const glued = [
        'café site.zip',
        'cafésite.zip',
        `site.zip${first.id}`,
        `100% café ${first.id}`,
        ` ${last.id}`,
        `100% café${first.id}`,
        `${first.id}ünder`,
        `café${first.id.slice(0, 3)}`,
      ];
      for (const text of glued) expect(await find(text), 'title, file name and id as one').to.deep.equal([]);
      await rename(port, first.id, 'Ganz Neu');
      expect(await find('ganz neu'), 'the title now').to.deep.equal(['Ganz Neu']);
      expect(await find('ünder'), 'the title before').to.deep.equal([]);
      const deleted = await everything(port, aRoleQuery({ search: 'ganz', state: 'deleted' }));
      expect(deleted, 'under another state').to.deep.equal([]);
      await rename(await peer(), first.id, null);
      expect(await find('ganz neu'), 'a title that was removed').to.deep.equal([]);
      await searchSigns(port, other);
    }),
  'role-store/list-search-walk: pages of a search may be short, yet walking them gives every match exactly once':
    async ({ port, peer }) => {
      const count = 2_050;
      const wanted = new Set([1, 2, 20, 1_000, 2_049, 2_050]);
      for (let n = 1; n <= count; n += 1) {
        const publishedAt = after(START, minutes(n % 700));
        const title = `${wanted.has(n) ? 'needle' : 'hay'} ${n}` as Title;
        await publishTo(port, aPublication(n, { publishedAt, title }));
      }
      const expected = newestFirst(
        [...wanted].map((n) => aRole(n, { publishedAt: after(START, minutes(n % 700)) })),
      );
      const other = await peer();
      for (const limit of [1, 4, 100]) {
        const pages = await walkList(other, aRoleQuery({ search: 'needle', limit }));
        expect(pages.flatMap(idsOf), `${limit} at once`).to.deep.equal(expected);
        const longest = Math.max(...pages.map(({ items }) => items.length));
        expect(longest, `items of a page, limit ${limit}`).to.be.at.most(limit);
      }
      const oldest = newestFirst(
        Array.from({ length: count }, (_, n) =>
          aRole(n + 1, { publishedAt: after(START, minutes((n + 1) % 700)) }),
        ),
      ).at(-1);
      for (const limit of [1, 100]) {
        const pages = await walkList(other, aRoleQuery({ search: oldest, limit }));
        expect(pages.flatMap(idsOf), 'the oldest, after empty pages').to.deep.equal([oldest]);
      }
    },
};
