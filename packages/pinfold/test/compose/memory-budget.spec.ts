import { expect } from 'chai';
import { createMemoryBudget } from '../../src/compose/memory-budget.ts';

const MiB = 1_048_576;

describe('The memory budget of a process', () => {
  it('keeps the defaults without a limit, or with enough memory', () => {
    for (const limit of [0, 1_024 * MiB, 2 ** 53]) {
      expect(createMemoryBudget(1, limit), String(limit)).to.deep.equal({
        viewer: {},
        hashing: {},
        threads: Number.POSITIVE_INFINITY,
      });
    }
  });

  it('shrinks with the limit, and does one thing at a time below 512 MiB', () => {
    expect(createMemoryBudget(1, 256 * MiB)).to.deep.equal({
      viewer: { cacheBytes: 16 * MiB, siteCacheBytes: 8 * MiB },
      hashing: { parallel: 1, cost: { logN: 15, r: 8, p: 3 } },
      threads: 1,
    });
    expect(createMemoryBudget(1, 512 * MiB).hashing).to.deep.equal({});
  });

  it('is shared by the processes of one server', () => {
    expect(createMemoryBudget(4, 1_024 * MiB)).to.deep.equal(createMemoryBudget(1, 256 * MiB));
    expect(createMemoryBudget(4, 4_096 * MiB)).to.deep.equal(createMemoryBudget(1, 0));
  });
});
