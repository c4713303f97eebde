import { after, days, type FeedId, type HistoryEvent, type HistoryStore, OPERATOR } from '@pinfold/core';
import type { History } from '@pinfold/core/history';
import { createMemory } from '@pinfold/memory';
import {
  anEvent,
  aRoleId,
  aSession,
  aToken,
  rejectionOf,
  replacing,
  START,
} from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ADA, BEN, idsOf, openFeed, pageOf } from './feed-stage.ts';

describe('The feed', () => {
  const stage = ofEachTest(openFeed);

  afterEach(() => stage.stop.abort());

  it('is read in parts, each event once, and ends with a cursor to continue from', async () => {
    const all = [];
    for (let n = 0; n < 5; n += 1) all.push(await stage.record(ADA));
    await stage.record(BEN);
    const first = pageOf(await stage.history.feed({ by: ADA, limit: 2 }));
    const second = pageOf(await stage.history.feed({ by: ADA, limit: 2, after: first.next }));
    const third = pageOf(await stage.history.feed({ by: ADA, limit: 2, after: second.next }));
    expect([first, second, third].flatMap(idsOf)).to.deep.equal(all);
    const end = pageOf(await stage.history.feed({ by: ADA, after: third.next }));
    expect(end).to.deep.equal({ ...third, items: [], hasWaited: false });
    const late = await stage.record(ADA);
    expect(idsOf(await stage.history.feed({ by: ADA, after: end.next }))).to.deep.equal([late]);
    const from = first.items[0]?.cursor ?? '';
    expect(idsOf(await stage.history.feed({ by: ADA, after: from })), 'after one event').to.deep.equal([
      ...all.slice(1),
      late,
    ]);
    const latest = pageOf(await stage.history.feed({ by: ADA, after: 'latest' }));
    expect(latest.items).to.deep.equal([]);
    expect(idsOf(await stage.history.feed({ by: ADA, after: latest.next }))).to.deep.equal([]);
  });

  it('accepts a cursor in every feed of the account, with and without a publication, and no altered or foreign one', async () => {
    const pin = aRoleId(1);
    const own = await stage.record(ADA, { pin });
    await stage.record(ADA);
    const page = pageOf(await stage.history.feed({ by: ADA, pin }));
    expect(idsOf(page)).to.deep.equal([own]);
    expect(idsOf(await stage.history.feed({ by: ADA, after: page.next })), 'past other events').to.deep.equal(
      [],
    );
    const byOperator = await stage.history.feed({ by: OPERATOR, account: ADA });
    expect(pageOf(byOperator).next, 'the cursor of one feed').to.equal(page.next);
    const all = pageOf(await stage.history.feed({ by: OPERATOR }));
    const wrong = [
      all.next,
      page.next.replace(/^./, '9'),
      `${page.next}0`,
      'x',
      '',
      '2..x.y',
      `${page.next} `,
      `0${page.next}`,
    ];
    for (const after of wrong) {
      expect(await stage.history.feed({ by: ADA, after }), after).to.deep.equal({
        kind: 'refused',
        code: 'invalid_cursor',
      });
    }
    const foreign = await stage.history.feed({ by: BEN, after: page.next });
    expect(foreign).to.deep.equal({ kind: 'refused', code: 'invalid_cursor' });
    for (const limit of [0, 101, 1.5]) {
      expect(await rejectionOf(stage.history.feed({ by: ADA, limit }))).to.be.an.instanceOf(TypeError);
    }
  });

  it('begins after the last event that was dropped; a cursor before it has expired', async () => {
    const beginning = pageOf(await stage.history.feed({ by: ADA })).next;
    const recordedAt = [1, 2, 3].map((n) => after(START, days(n)));
    for (const at of recordedAt) await stage.record(ADA, { recordedAt: at as HistoryEvent['recordedAt'] });
    const cursors = pageOf(await stage.history.feed({ by: ADA, after: beginning })).items.map(
      ({ cursor }) => cursor,
    );
    const all = pageOf(await stage.history.feed({ by: OPERATOR })).next;
    await stage.memory.history.drop(after(START, days(3)), 10);
    const oldest = cursors[1];
    for (const cursor of [beginning, cursors[0]]) {
      expect(await stage.history.feed({ by: ADA, after: cursor ?? '' })).to.deep.equal({
        kind: 'refused',
        code: 'cursor_expired',
        oldest,
      });
    }
    const rest = await stage.history.feed({ by: ADA });
    expect(
      idsOf(await stage.history.feed({ by: ADA, after: oldest ?? '' })),
      'its own event was dropped',
    ).to.deep.equal(idsOf(rest));
    expect(pageOf(await stage.history.feed({ by: ADA, after: cursors[2] ?? '' })).items).to.deep.equal([]);
    expect(pageOf(await stage.history.feed({ by: OPERATOR, after: all })).items).to.deep.equal([]);
    const other = { feed: 'f'.repeat(32) as FeedId };
    for (const change of [other, { begin: { number: 2, event: anEvent().id } }]) {
      const feed: HistoryStore['feed'] = async (query) => ({
        ...(await stage.memory.history.feed(query)),
        ...change,
      });
      const restored = stage.open({ ...stage.memory, history: replacing(stage.memory.history, { feed }) });
      expect(await restored.feed({ by: ADA, after: oldest ?? '' })).to.include({ code: 'cursor_expired' });
    }
    await stage.memory.history.drop(after(START, days(9)), 10);
    expect(
      pageOf(await stage.history.feed({ by: ADA, after: cursors[2] ?? '' })).items,
      'none is left',
    ).to.deep.equal([]);
  });

  it('refuses cursors of another database: a restored backup, an import', async () => {
    await stage.record(ADA);
    const before = pageOf(await stage.history.feed({ by: ADA })).next;
    await stage.record(ADA);
    const end = pageOf(await stage.history.feed({ by: ADA })).next;
    const [, , feed] = end.split('.');
    // The same feed as it was earlier, and then with other events.
    const restored = createMemory();
    const reader = stage.open({
      ...restored,
      history: {
        ...restored.history,
        feed: async (query) => ({ ...(await restored.history.feed(query)), feed: feed as never }),
      },
    });
    const { items } = pageOf(await stage.history.feed({ by: ADA }));
    await restored.sessions.begin(aSession(1), [items[0]?.event as HistoryEvent]);
    expect(pageOf(await reader.feed({ by: ADA, after: before })).items, 'an event of both').to.deep.equal([]);
    const codeOf = async (after: string, of: History): Promise<unknown> => {
      const outcome = await of.feed({ by: ADA, after });
      return outcome.kind === 'refused' ? outcome.code : outcome;
    };
    expect(await codeOf(end, reader), 'the backup ends earlier').to.equal('cursor_expired');
    await restored.sessions.begin(aSession(2), [anEvent({ account: ADA })]);
    expect(await codeOf(end, reader), 'another event at its place').to.equal('cursor_expired');
    const imported = createMemory();
    await imported.imports.begin(aToken(1));
    const events = items.map(({ event }) => ({ kind: 'event', value: event }) as const);
    await imported.imports.saveRecords(aToken(1), events);
    await imported.imports.end(aToken(1));
    expect(idsOf(await stage.open(imported).feed({ by: ADA }))).to.have.members(
      items.map(({ event }) => event.id),
    );
    for (const cursor of [before, end])
      expect(await codeOf(cursor, stage.open(imported))).to.equal('cursor_expired');
  });

  it("shows an account the operator's actions without name and address", async () => {
    const more = { actor: { kind: 'operator', id: 'eve' }, address: '192.0.2.1', asOperator: true } as const;
    await stage.record(ADA, more);
    const [own] = pageOf(await stage.history.feed({ by: ADA })).items;
    expect(own?.event).to.deep.include({ actor: { kind: 'operator', id: null }, address: null });
    const [all] = pageOf(await stage.history.feed({ by: OPERATOR })).items;
    expect(all?.event).to.deep.include({ actor: more.actor, address: more.address });
    for (const [by, item] of [
      [ADA, own],
      [OPERATOR, all],
    ] as const) {
      const listed = await stage.history.list({ by });
      expect(listed.kind === 'page' && listed.events).to.deep.equal([item?.event]);
    }
  });
});
