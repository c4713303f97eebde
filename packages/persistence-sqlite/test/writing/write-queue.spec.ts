import { isFault } from '@pinfold/core';
import { expect } from 'chai';
import { type Outcome, type Work, WriteQueue } from '../../src/writing/write-queue.ts';

const DONE: Outcome = { result: 'done' };

function works(count: number): readonly Work[] {
  return Array.from({ length: count }, () => ({ usesReserve: false, run: () => undefined }));
}

interface TestQueue {
  readonly queue: WriteQueue;
  /** Lets programs arrive before the next check. */
  readonly arrive: (...more: readonly Work[]) => void;
  readonly groups: (readonly Work[])[];
  readonly outcomes: Map<Work, Outcome>;
}

/** A queue with the programs that arrive when it checks, and the outcome of each commit. */
function openQueue(
  commit: (group: readonly Work[], opened: TestQueue) => readonly (Outcome | undefined)[],
  now?: () => number,
): TestQueue {
  const arrived: Work[] = [];
  const outcomes = new Map<Work, Outcome>();
  const groups: (readonly Work[])[] = [];
  const queue = new WriteQueue(
    (group) => {
      groups.push(group);
      return commit(group, opened);
    },
    () => {
      for (const work of arrived.splice(0)) queue.add(work, (outcome) => outcomes.set(work, outcome));
    },
    now,
  );
  const opened: TestQueue = { queue, arrive: (...more) => arrived.push(...more), groups, outcomes };
  return opened;
}

describe('WriteQueue', () => {
  it('commits arrived programs together, and then those that arrived meanwhile', async () => {
    const [first, second, third] = works(3) as [Work, Work, Work];
    const { queue, arrive, groups, outcomes } = openQueue((group, opened) => {
      if (opened.groups.length === 1) opened.arrive(third);
      return group.map(() => DONE);
    });
    arrive(first, second);
    await queue.run();
    expect(groups).to.deep.equal([[first, second], [third]]);
    expect([...outcomes.keys()]).to.deep.equal([first, second, third]);
  });

  it('commits a limited number together, in order', async () => {
    const all = works(150);
    const { queue, arrive, groups } = openQueue((group) => group.map(() => DONE));
    arrive(...all);
    await queue.run();
    expect(groups.map(({ length }) => length)).to.deep.equal([64, 64, 22]);
    expect(groups.flat()).to.deep.equal(all);
  });

  it('retries programs that could not run, before later ones', async () => {
    const [first, second, late] = works(3) as [Work, Work, Work];
    const { queue, arrive, groups, outcomes } = openQueue((group, opened) => {
      if (opened.groups.length > 1) return group.map(() => DONE);
      opened.arrive(late);
      return [DONE, undefined];
    });
    arrive(first, second);
    await queue.run();
    expect(groups).to.deep.equal([
      [first, second],
      [second, late],
    ]);
    expect(outcomes.size).to.equal(3);
  });

  it('rejects all that have waited five seconds for the lock, and continues with the others', async () => {
    let now = 0;
    const early = works(100);
    const [late] = works(1) as [Work];
    const { queue, arrive, outcomes } = openQueue(
      (group, opened) => {
        now += 1_000;
        if (now === 3_000) opened.arrive(late);
        return group.map(() => (now > 6_000 ? DONE : undefined));
      },
      () => now,
    );
    arrive(...early);
    await queue.run();
    for (const work of early) {
      const outcome = outcomes.get(work);
      const error = outcome !== undefined && 'error' in outcome ? outcome.error : undefined;
      expect(isFault(error) && error.code).to.equal('store_unavailable');
    }
    expect(outcomes.get(late)).to.equal(DONE);
  });
});
