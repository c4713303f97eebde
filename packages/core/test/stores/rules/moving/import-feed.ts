import { type AccountId, before, days } from '@pinfold/core';
import { ACCOUNT, anEvent, aSession, aToken, START } from '@pinfold/test-contracts/fixtures';
import type { StoreClauses } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { MovingStores } from '../stores.ts';
import { recordsOf, stock } from './stock.ts';

export const importFeed: StoreClauses<MovingStores> = {
  'import/feed: the feed has another id than before and the imported events in the order of instant and id, in any order of import':
    async ({ port, peer }, another) => {
      const other = await peer();
      const source = (await another()).port;
      await stock(source);
      const records = await recordsOf(source);
      const events = records.flatMap(({ kind, value }) => (kind === 'event' ? [value] : []));
      const read = ({ history }: MovingStores, account?: AccountId) =>
        history.feed({ account, pin: undefined, after: 0, limit: 100 });
      const empty = await read(port);
      const token = aToken(1);
      await port.imports.begin(token);
      const others = records.filter(({ kind }) => kind !== 'event');
      await port.imports.saveRecords(token, others);
      await port.imports.saveRecords(
        token,
        events.toReversed().map((value) => ({ kind: 'event' as const, value })),
      );
      await port.imports.end(token);
      const late = anEvent({ at: before(START, days(9)) });
      await other.sessions.begin(aSession(77), [late]);
      const moved = await read(other);
      expect(moved.items.map(({ event }) => event)).to.deep.equal([...events, late]);
      const numbers = moved.items.map(({ number }) => number);
      expect(numbers.every((number, n) => number > (numbers[n - 1] ?? 0))).to.equal(true);
      const own = events.filter(({ account }) => account === ACCOUNT);
      expect((await read(other, ACCOUNT)).items.slice(0, own.length)).to.deep.equal(
        own.map((event, n) => ({ number: n + 1, event })),
      );
      expect(moved.feed).to.not.equal(empty.feed);
      expect(moved.feed, 'of another database').to.not.equal((await read(source)).feed);
    },
};
