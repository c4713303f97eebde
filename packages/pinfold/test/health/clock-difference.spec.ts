import { type Instant, instant } from '@pinfold/core';
import { expect } from 'chai';
import { ClockDifference } from '../../src/health/health.ts';
import { openLog } from '../../src/server/log.ts';

const at = (seconds: number): Instant => instant(1_800_000_000_000 + Math.round(seconds * 1_000));

function createDifference() {
  const logged: string[] = [];
  const difference = new ClockDifference();
  difference.logTo(openLog('info', (line) => logged.push(JSON.parse(line).msg)));
  return { difference, logged };
}

describe("the difference between this machine's clock and the database's", () => {
  it('is unknown before the first measurement', () => {
    const { difference } = createDifference();
    expect(difference.milliseconds).to.equal(undefined);
    expect(difference.isTooLarge).to.equal(false);
  });

  it('is measured at the middle of the call, and positive if this machine is ahead', () => {
    const { difference } = createDifference();
    difference.record(at(10), at(4), at(10.5));
    expect(difference.milliseconds).to.equal(6_250);
    difference.record(at(10), at(12), at(10));
    expect(difference.milliseconds).to.equal(-2_000);
  });

  it('is 0 if the database has no clock of its own', () => {
    const { difference } = createDifference();
    difference.record(at(10), undefined, at(10));
    expect(difference.milliseconds).to.equal(0);
  });

  it('is not measured by a slow call', () => {
    const { difference } = createDifference();
    difference.record(at(10), at(10), at(10));
    difference.record(at(20), at(10), at(21.5));
    expect(difference.milliseconds).to.equal(0);
  });

  it('is logged once when it exceeds a minute, and once when it ends', () => {
    const { difference, logged } = createDifference();
    difference.record(at(70), at(10), at(70));
    expect([difference.isTooLarge, logged]).to.deep.equal([false, []]);
    difference.record(at(70.1), at(10), at(70.1));
    difference.record(at(92), at(10), at(92));
    difference.record(at(0), at(72.34), at(0));
    expect(difference.isTooLarge).to.equal(true);
    expect(logged).to.deep.equal([
      "this machine's clock is 60.1 s ahead of the database's, so it cleans nothing up",
    ]);
    difference.record(at(10), at(10), at(10));
    difference.record(at(10), at(10), at(10));
    difference.record(at(0), at(72.34), at(0));
    expect(logged.slice(1)).to.deep.equal([
      "this machine's clock agrees with the database's again",
      "this machine's clock is 72.3 s behind the database's, so it cleans nothing up",
    ]);
  });
});
