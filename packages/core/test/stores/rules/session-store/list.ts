import {
  type AccountId,
  type ApiKeyId,
  after,
  before,
  duration,
  type Instant,
  minutes,
  type Session,
  type SessionStore,
  type Sha256,
} from '@pinfold/core';
import { anEvent, aSession, START } from '@pinfold/test-contracts/fixtures';
import {
  type ClauseTable,
  everyText,
  expectApart,
  NEARLY_ONE_ACCOUNT,
  walk,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { sessionOf } from './alike.ts';

const MOMENT = duration(1);

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 2_100;

/** Prefixes of hashes that a collation, or a numeric order, would sort differently. */
const HASHES = ['9a', '10b', 'f1', '0e9', 'a10', 'a9'];

export const listClauses: ClauseTable<SessionStore> = {
  'session-store/list: pages after a hash, up to one that is not full, give every session that has not ended exactly once, in order, of one account or of all':
    withPeer(async (port, other) => {
      const soon = after(START, minutes(5));
      const globex = 'globex' as AccountId;
      for (const n of [7, 3, 1, 5]) await port.begin(aSession(n), [anEvent()]);
      for (const n of [2, 6]) await port.begin(aSession(n, { account: globex }), [anEvent()]);
      await port.begin(aSession(4, { endsAt: soon }), [anEvent()]);
      const walked = async (account: AccountId | undefined, now: Instant) => {
        const query = { account, now, limit: 2 };
        const all = await walk<Session>(2, (last) => other.list({ ...query, after: last?.tokenHash }));
        return all.map(({ tokenHash }) => Number(tokenHash.slice(-1)));
      };
      expect(await walked(undefined, before(soon, MOMENT))).to.deep.equal([1, 2, 3, 4, 5, 6, 7]);
      expect(await walked(undefined, soon), 'one has ended').to.deep.equal([1, 2, 3, 5, 6, 7]);
      expect(await walked(globex, soon)).to.deep.equal([2, 6]);
      const from = (text: string) => other.list({ account: undefined, now: soon, after: text, limit: 1 });
      const { tokenHash } = aSession(6);
      expect(await from(tokenHash.slice(0, -1)), 'after a prefix').to.deep.equal([aSession(1)]);
      expect(await from(tokenHash)).to.deep.equal([aSession(7)]);
      await port.end(tokenHash, [anEvent()]);
      expect(await from(aSession(5).tokenHash), 'before one that has ended').to.deep.equal([aSession(7)]);
      expect(await from(tokenHash), 'after one that has ended').to.deep.equal([aSession(7)]);
    }),
  'session-store/list-all: hashes are ordered by code unit in full, and the list of an account has exactly its own sessions, even those yet to start, with every field':
    withPeer(async (port, other, _, another) => {
      const apiKey = 'AbC9' as ApiKeyId;
      const sessions = HASHES.flatMap((beginning, n) =>
        NEARLY_ONE_ACCOUNT.map((account, m) => {
          const startedAt = after(START, minutes(70 - 10 * n - m));
          const tokenHash = `${beginning.padEnd(63, '0')}${m.toString(16)}` as Sha256;
          const actor = { kind: m % 2 === 0 ? 'person' : 'operator', id: `Ada ${n}` } as const;
          return aSession(n, { tokenHash, account, apiKey, actor, startedAt, displayName: `Ada ${n}` });
        }),
      );
      for (const session of sessions) await port.begin(session, [anEvent()]);
      const ordered = sessions.toSorted((one, two) => (one.tokenHash < two.tokenHash ? -1 : 1));
      const listed = (account?: AccountId) =>
        other.list({ account, now: START, after: undefined, limit: 100 });
      expect(await listed()).to.deep.equal(ordered);
      const page = { account: undefined, now: START, limit: 3 };
      for (const after of [undefined, '0', 'F', 'a9', `${'a9'.padEnd(63, '0')}4`, 'g']) {
        const rest = ordered.filter(({ tokenHash }) => tokenHash > (after ?? ''));
        expect(await other.list({ ...page, after }), `after ${after}`).to.deep.equal(rest.slice(0, 3));
        expect(await other.list({ ...page, after, limit: 0 }), 'none').to.deep.equal([]);
      }
      for (const account of NEARLY_ONE_ACCOUNT) {
        const own = ordered.filter((session) => session.account === account);
        expect(await listed(account), account).to.deep.equal(own);
      }
      const alone = await another();
      const others = await alone.peer();
      await expectApart(everyText.map(sessionOf), {
        write: (session) => alone.port.begin(session, []),
        read: ({ account }) => others.list({ account, now: START, after: undefined, limit: 9 }),
        none: [],
        one: (session) => [session],
      });
    }),
  'session-store/list-many: a list with a high limit has more than a thousand sessions': async ({
    port,
    peer,
  }) => {
    const account = 'globex' as AccountId;
    const sessions = Array.from({ length: COUNT }, (_, n) =>
      aSession(n, n === 0 || n === COUNT - 1 ? { account } : {}),
    );
    for (const session of sessions) await port.begin(session, [anEvent()]);
    const query = { account: undefined, now: START, after: undefined, limit: COUNT };
    const other = await peer();
    expect(await other.list(query)).to.deep.equal(sessions);
    for (const limit of [101, 500, 1_999]) {
      expect(await other.list({ ...query, limit }), `${limit}`).to.deep.equal(sessions.slice(0, limit));
    }
    const own = [sessions[0], sessions[COUNT - 1]];
    expect(await other.list({ ...query, account, limit: 2 }), 'far from each other').to.deep.equal(own);
    const rest = await other.list({ ...query, account: aSession(1).account });
    expect(rest, 'of one account').to.deep.equal(sessions.slice(1, -1));
  },
};
