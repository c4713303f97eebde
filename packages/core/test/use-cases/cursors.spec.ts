import {
  accountId,
  type Cause,
  minutes,
  OPERATOR,
  type PageRequest as Page,
  type RoleId,
} from '@pinfold/core';
import { createKeys, everyKey } from '@pinfold/core/accounts';
import { createAdministration } from '@pinfold/core/administration';
import { createHistory } from '@pinfold/core/history';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

const OTHER_ACCOUNT = accountId('stranger');
const CAUSE: Cause = { actor: { kind: 'operator', id: 'ada' }, asOperator: true };
const REFUSED = { kind: 'refused', code: 'invalid_cursor' };
/** In their order, with characters that a cursor must escape. */
const ACCOUNTS = ['-', 'a.b', OWNER, OTHER_ACCOUNT, '~2e~', '😀', '\u{100000}', '\u{10fffd}'];

describe('Lists', () => {
  const stage = stageOfEachTest();

  /** Every list, with its number of items. */
  async function everyList() {
    const { useCases, ports, clock } = stage;
    const since = clock.now();
    const [keys, history, administration] = [
      createKeys(ports),
      createHistory(ports),
      createAdministration(ports),
    ];
    for (const name of ACCOUNTS) await administration.limitAccount(name, { sites: 9 }, CAUSE);
    const ids: RoleId[] = [];
    for (const [by, title] of [
      [OWNER, 'gone'],
      [OWNER, 'lost'],
      [OWNER, 'page'],
      [OWNER, 'path'],
      [OWNER, 'site'],
      [OTHER_ACCOUNT, 'page'],
      [OTHER_ACCOUNT, 'site'],
    ] as const) {
      clock.advance(minutes(1));
      const id = await stage.publish({ by, title, key: title, bytes: `${by} ${title}`, name: title });
      await keys.create({ account: by });
      if (ids.push(id) <= 2) await administration.takeDown({ id, reason: 'x', cause: CAUSE });
    }
    const [pin] = ids;
    const operator = { by: OPERATOR };
    const roles = (more: object) => (page: Page) => useCases.list({ by: OWNER, ...more, ...page });
    const events = (more: object) => (page: Page) => history.list({ ...operator, ...more, ...page });
    return [
      [roles({}), 3],
      [roles({ by: OTHER_ACCOUNT }), 2],
      [roles({ state: 'deleted' }), 2],
      [roles({ search: 'pa' }), 2],
      [roles({ order: 'ending' }), 3],
      [roles({ order: 'largest' }), 3],
      [administration.listRoles, 5],
      [(page: Page) => keys.list({ ...operator, ...page }), 7],
      [(page: Page) => useCases.names.list({ by: OWNER, ...page }), 5],
      [(page: Page) => useCases.names.list({ by: OTHER_ACCOUNT, ...page }), 2],
      [administration.listAccounts, ACCOUNTS.length],
      [administration.listTakedowns, 2],
      [events({}), ACCOUNTS.length + 7 * 3 + 2],
      [events({ account: OTHER_ACCOUNT }), 1 + 2 * 3],
      [events({ pin }), 3],
      [events({ since: minutes(1) + since }), 7 * 3 + 2],
    ] as const;
  }

  /** The items of a page. */
  function itemsOf(page: object): readonly unknown[] {
    return Object.values(page).find(Array.isArray) ?? expect.fail(JSON.stringify(page));
  }

  it('continue page by page with each item once, and refuse cursors of another list, account or filter', async () => {
    const lists = await everyList();
    for (const [own, [list, count]] of lists.entries()) {
      const whole = itemsOf(await list({ limit: 100 }));
      expect(whole, `list ${own}`).to.have.length(count);
      expect(await list({ cursor: '' }), `no cursor of list ${own}`).to.deep.equal(REFUSED);
      const items: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit: 1, ...(cursor && { cursor }) });
        if (page.kind === 'refused') throw new Error(page.code);
        expect(itemsOf(page)).to.have.length(1);
        items.push(...itemsOf(page));
        cursor = page.next;
        for (const [n, [other]] of cursor === undefined ? [] : lists.entries()) {
          const outcome = await other({ cursor: cursor as string });
          expect(outcome.kind, `the cursor of list ${own} in list ${n}`).to.equal(
            n === own ? 'page' : 'refused',
          );
        }
      } while (cursor !== undefined);
      expect(items).to.deep.equal(whole);
    }
  });

  it('of accounts are in the order of names, and continue after a name', async () => {
    await everyList();
    const { listAccounts } = createAdministration(stage.ports);
    const page = await listAccounts({ limit: 7 });
    if (page.kind === 'refused') throw new Error(page.code);
    expect(page.accounts.map(({ account }) => account.name)).to.deep.equal(ACCOUNTS.slice(0, 7));
    for (const none of ['', '~0~', 'x'.repeat(256)]) {
      const cursor = page.next?.replace(/^[^.]*/, none) ?? '';
      expect(await listAccounts({ cursor }), none).to.deep.equal(REFUSED);
    }
  });

  it('of keys can be read to their end', async () => {
    const keys = createKeys(stage.ports, { limit: null });
    for (let n = 0; n <= 100; n += 1) await keys.create({ account: OWNER });
    await keys.create({ account: OTHER_ACCOUNT });
    const ids = new Set<string>();
    for await (const { id } of everyKey(keys, { by: OWNER })) ids.add(id);
    expect(ids.size).to.equal(101);
    const refusing = everyKey(
      { list: async () => ({ kind: 'refused', code: 'invalid_cursor' }) },
      { by: OWNER },
    );
    expect(await rejectionOf(refusing.next()))
      .to.have.property('message')
      .that.includes('cursor');
  });
});
