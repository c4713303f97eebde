import { expect } from 'chai';
import { RetryBudget } from '../../src/api-client/retry-budget.ts';

describe('the retry budget of a command', () => {
  let now: number;
  let budget: RetryBudget;

  beforeEach(() => {
    now = 0;
    budget = new RetryBudget(150_000, () => now);
  });

  function after(milliseconds: number): RetryBudget {
    now += milliseconds;
    return budget;
  }

  it('adds up the times from a failure to the next success, and no others', () => {
    after(60_000).failed();
    after(20_000).succeeded();
    after(300_000);
    expect(budget.left).to.equal(130_000);
    budget.failed();
    after(5_000).failed();
    expect(after(5_000).left).to.equal(120_000);
    budget.succeeded();
    expect(after(1_000_000).left).to.equal(120_000);
  });

  it('ends at 0', () => {
    budget.failed();
    expect(after(150_001).left).to.equal(0);
    budget.succeeded();
    expect(budget.left).to.equal(0);
  });
});
