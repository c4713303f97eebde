import { expect } from 'chai';
import { CALLS } from './calls.ts';
import { callsTogether, hasSplitCall, pairOf, pairsOf } from './pairs.ts';
import { CHECKED_AGAIN_LATER, LONG, OFTEN } from './reasons.ts';

const threes = OFTEN.flatMap((one, n) =>
  pairsOf(OFTEN.slice(n + 1))
    .filter(([second, third]) => second !== third)
    .map((others) => [one, ...others]),
);

describe('calls of stores at the same time, in every order of their steps', function () {
  this.timeout(0);
  let played = 0;

  async function expectAtomic(calls: readonly string[]): Promise<void> {
    const { orders, wrong, mixed } = await (await callsTogether(calls)).playEveryOrder();
    played += orders;
    const isCheckedAgain = CHECKED_AGAIN_LATER.some((pair) => pair.every((name) => calls.includes(name)));
    if (!isCheckedAgain) expect(wrong, pairOf(calls)).to.equal(undefined);
    if (!hasSplitCall(calls)) expect(mixed, pairOf(calls)).to.equal(undefined);
  }

  for (const long of LONG) {
    it(`are atomic beside one that takes many turns: ${long}`, async () => {
      for (const name of Object.keys(CALLS)) await expectAtomic([long, name]);
    });
  }

  for (const one of new Set(threes.map(([first]) => first))) {
    it(`are atomic, three at once: ${one}`, async () => {
      for (const calls of threes.filter(([first]) => first === one)) await expectAtomic(calls);
    });
  }

  after(() => console.log(`  ${played} orders`));
});
