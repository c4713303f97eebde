import { expect } from 'chai';
import { CALLS } from './calls.ts';
import { callsTogether, hasSplitCall, haveOneTable, pairOf, pairsOf, usesOfCalls, WRITING } from './pairs.ts';
import { CHECKED_AGAIN_LATER, LONG, NEEDED, NOT_NEEDED, TOGETHER } from './reasons.ts';

interface Played {
  /** By pair of calls, an order whose outcome no sequence of their programs (transactions) has. */
  readonly wrong: ReadonlyMap<string, string>;
  /** Orders whose outcome no sequence of the whole calls has; without calls of several programs, for which that is allowed. */
  readonly mixed: readonly string[];
}

async function playPairs(): Promise<Played> {
  const uses = await usesOfCalls();
  const [wrong, mixed] = [new Map<string, string>(), [] as string[]];
  for (const calls of pairsOf(Object.keys(CALLS).filter((name) => !LONG.includes(name)))) {
    if (!haveOneTable(uses, calls)) continue;
    const found = await (await callsTogether(calls)).playEveryOrder();
    if (found.wrong !== undefined) wrong.set(pairOf(calls), found.wrong);
    if (found.mixed !== undefined && !hasSplitCall(calls)) mixed.push(`${pairOf(calls)}: ${found.mixed}`);
  }
  return { wrong, mixed };
}

let playing: Promise<Played> | undefined;
function played(): Promise<Played> {
  playing ??= playPairs();
  return playing;
}

describe('calls of stores at the same time, in every order of their steps', () => {
  it('include every call whose program writes', async () => {
    const called = [...(await usesOfCalls()).values()].flatMap((programs) => [...programs.keys()]);
    expect([...new Set(called)].toSorted()).to.deep.equal(WRITING.toSorted());
  });

  it('are linearizable: they have the results of their programs one after the other, and a read after an answer sees its changes', async () => {
    const { wrong } = await played();
    // These pairs read data that may be out of date, and decide again in a later call.
    const checkedAgain = CHECKED_AGAIN_LATER.map(pairOf);
    expect([...wrong].filter(([pair]) => !checkedAgain.includes(pair))).to.deep.equal([]);
    expect([...wrong.keys()]).to.have.members(checkedAgain);
  });

  it('have the same results as one call after the other', async () => {
    expect((await played()).mixed).to.deep.equal([]);
  });

  for (const calls of TOGETHER) {
    it(`are atomic: ${calls.join(', ')}`, async () => {
      const all = await callsTogether(calls);
      const { wrong, mixed } = await all.playEveryOrder();
      expect(wrong).to.equal(undefined);
      if (!hasSplitCall(calls)) expect(mixed).to.equal(undefined);
      expect((await all.playEveryOrder(() => true)).wrong, 'without locks').to.not.equal(undefined);
    });
  }
});

describe('the locks of programs', () => {
  const isOf = (kind: string) => (lock: string) => lock === kind || lock.startsWith(`${kind} `);

  it('are of kinds that are known', async () => {
    const uses = [...(await usesOfCalls()).values()].flatMap((programs) => [...programs.values()]);
    const kinds = [...Object.keys(NEEDED), ...Object.keys(NOT_NEEDED)];
    const taken = new Set(uses.flatMap(({ locks }) => [...locks]));
    expect([...taken].filter((lock) => !kinds.some((kind) => isOf(kind)(lock)))).to.deep.equal([]);
  });

  for (const [kind, calls] of Object.entries(NEEDED)) {
    it(`of the kind "${kind}" are needed: ${calls.join(' × ')}`, async () => {
      expect((await (await callsTogether(calls)).playEveryOrder(isOf(kind))).wrong).to.not.equal(undefined);
    });
  }
});
