import {
  after,
  before,
  type Clock,
  days,
  duration,
  Fault,
  hours,
  instant,
  minutes,
  type RoleId,
  type ViewStore,
} from '@pinfold/core';
import { dayOf, dayText } from '@pinfold/core/internal';
import { createViews, type Views } from '@pinfold/core/views';
import { createMemory, type Memory } from '@pinfold/memory';
import {
  aRoleId,
  createManualClock,
  type ManualClock,
  rejectionOf,
  replacing,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const ROLE = aRoleId(1);

describe('Counting views', () => {
  let memory: Memory;
  let clock: ManualClock;
  let writes: number;
  beforeEach(() => {
    memory = createMemory();
    clock = createManualClock();
    writes = 0;
  });
  afterEach(() => memory.close());

  const counting = (differing: Partial<ViewStore> = {}, ofNode: Clock = clock): Views => {
    const store = replacing(memory.views, differing);
    const views = replacing(store, {
      add: (counted) => {
        writes += 1;
        return store.add(counted);
      },
    });
    return createViews({ ...memory, persistence: memory, views, clock: ofNode, machine: clock });
  };
  const counted = async (views: Views, role: RoleId = ROLE) =>
    (await views.of(role)).map(({ day, ...counts }) => [dayText(day), counts.views, counts.refusedPasswords]);

  it('stores any number of views in one write, and nothing when there were none', async () => {
    const views = counting();
    expect(await views.store()).to.equal(false);
    expect(writes).to.equal(0);
    for (let n = 0; n < 500; n += 1) views.viewed(aRoleId(n % 3));
    views.passwordRefused(ROLE);
    expect(await counted(views), 'before').to.deep.equal([]);
    expect(await views.store()).to.equal(false);
    expect(await views.store()).to.equal(false);
    expect(writes).to.equal(1);
    const today = dayText(dayOf(clock.now()));
    expect(await counted(views)).to.deep.equal([[today, 167, 1]]);
    expect(await counted(counting()), 'from another process').to.deep.equal([[today, 167, 1]]);
  });

  it('counts each day of UTC separately, and returns the last thirty', async () => {
    const views = counting();
    clock.advance(duration(Date.UTC(2026, 10, 22, 23, 59, 59, 999) - clock.now()));
    views.viewed(ROLE);
    clock.advance(duration(1));
    views.viewed(ROLE);
    await views.store();
    expect(await counted(views)).to.deep.equal([
      ['2026-11-23', 1, 0],
      ['2026-11-22', 1, 0],
    ]);
    clock.advance(days(28));
    expect(await counted(views), '29 days before').to.have.lengthOf(2);
    clock.advance(days(1));
    expect(await counted(views)).to.deep.equal([['2026-11-23', 1, 0]]);
    await views.sweep();
    expect(await memory.views.list(ROLE, dayOf(instant(0)))).to.have.lengthOf(1);
    clock.advance(hours(24));
    expect(await counted(views)).to.deep.equal([]);
    await views.sweep();
    expect(await memory.views.list(ROLE, dayOf(instant(0)))).to.deep.equal([]);
  });

  it('returns no day to come, which a clock that was days ahead has counted', async () => {
    const ahead = counting({}, replacing(clock, { now: () => after(clock.now(), days(9)) }));
    ahead.viewed(ROLE);
    await ahead.store();
    expect(await counted(counting())).to.deep.equal([]);
    const today = counting();
    today.viewed(ROLE);
    await today.store();
    expect(await counted(today)).to.deep.equal([[dayText(dayOf(clock.now())), 1, 0]]);
  });

  it('adds counts that could not be stored to later ones', async () => {
    let away = true;
    const views = counting({
      add: async (counted) => {
        if (away) throw new Fault('store_unavailable', 'the database is away');
        await memory.views.add(counted);
      },
    });
    views.viewed(ROLE);
    expect(await rejectionOf(views.store())).to.include({ code: 'store_unavailable' });
    views.viewed(ROLE);
    away = false;
    await views.store();
    expect((await counted(views)).map(([, count]) => count)).to.deep.equal([2]);
  });

  it('counts views that come while it stores', async () => {
    const views: Views = counting({
      add: async (counted) => {
        if (writes === 1) views.viewed(ROLE);
        await memory.views.add(counted);
      },
    });
    views.viewed(ROLE);
    expect(await views.store(), 'before they came').to.equal(false);
    expect(await views.store()).to.equal(false);
    expect((await counted(views)).map(([, count]) => count)).to.deep.equal([2]);
  });

  it('stores a thousand roles at a time, the longest waiting first', async () => {
    const batches: number[] = [];
    const views = counting({
      add: async (counted) => {
        batches.push(counted.length);
        await memory.views.add(counted);
      },
    });
    for (let n = 0; n < 2_500; n += 1) views.viewed(aRoleId(n));
    while (await views.store()) views.viewed(aRoleId(2_600));
    expect(batches).to.deep.equal([1_000, 1_000, 501]);
    expect(await counted(views, aRoleId(2_499))).to.have.lengthOf(1);
  });

  it('holds at most 100,000 counters, and still counts in existing ones', async () => {
    const stored = new Map<RoleId, number>();
    const views = counting({
      add: async (counted) => {
        for (const { role, views: count } of counted) stored.set(role, (stored.get(role) ?? 0) + count);
      },
    });
    for (let n = 0; n < 100_001; n += 1) views.viewed(aRoleId(n));
    views.viewed(aRoleId(0));
    while (await views.store());
    expect(stored.get(aRoleId(0))).to.equal(2);
    expect(stored.get(aRoleId(99_999))).to.equal(1);
    expect(stored.has(aRoleId(100_000))).to.equal(false);
  });

  it('stores counts while the service is read-only, but drops none', async () => {
    const views = counting();
    await memory.views.add([{ role: ROLE, day: dayOf(instant(0)), views: 1, refusedPasswords: 0 }]);
    await memory.mode.change({ kind: 'read_only', message: null }, []);
    views.viewed(ROLE);
    await views.store();
    expect(await counted(views)).to.have.lengthOf(1);
    await views.sweep();
    expect(await memory.views.list(ROLE, dayOf(instant(0)))).to.have.lengthOf(2);
    await memory.mode.change({ kind: 'normal', message: null }, []);
    await views.sweep();
    expect(await memory.views.list(ROLE, dayOf(instant(0)))).to.have.lengthOf(1);
  });

  it('sweeps for at most a minute, even if the clock is set, and ends when it is aborted', async () => {
    for (const shift of [after, before]) {
      let [drops, step] = [0, duration(0)];
      const drop: ViewStore['drop'] = async (_before, limit) => {
        drops += 1;
        clock.advance(minutes(0.5));
        step = hours(1);
        return limit;
      };
      const views = counting({ drop }, { ...clock, now: () => shift(clock.now(), step) });
      await views.sweep();
      expect(drops).to.equal(2);
      await rejectionOf(views.sweep(AbortSignal.abort()));
      expect(drops).to.equal(2);
    }
  });
});
