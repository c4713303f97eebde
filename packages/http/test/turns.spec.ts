import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Turns } from '../src/turns.ts';

describe('The turns of the event loop', () => {
  it('begin one step of each kind', async () => {
    const turns = new Turns();
    expect([turns.takeNow(), turns.takeNow()]).to.deep.equal([true, false]);
    expect([turns.takeNow('cheap'), turns.takeNow('cheap')]).to.deep.equal([true, false]);
    await nextTurn();
    expect(turns.takeNow()).to.equal(true);
  });

  it('begin further steps in order, in later turns', async () => {
    const turns = new Turns();
    const begun: number[] = [];
    turns.takeNow();
    for (let n = 0; n < 5; n += 1) void turns.wait().then(() => begun.push(n));
    const seen: number[] = [];
    while (begun.length < 5) {
      await nextTurn();
      seen.push(begun.length);
      if (begun.length < 4) expect(turns.takeNow(), 'ahead of steps that wait').to.equal(false);
    }
    expect(begun).to.deep.equal([0, 1, 2, 3, 4]);
    expect(
      seen.every((count, index) => count - (seen[index - 1] ?? 0) <= 1),
      'one per turn',
    ).to.equal(true);
  });

  it('begin a piece of a body in each turn, for any number of waiting requests', async () => {
    const turns = new Turns();
    const begun: string[] = [];
    for (let n = 0; n < 100; n += 1) turns.queue(() => begun.push('request'), 'cheap');
    for (let n = 0; n < 3; n += 1) turns.queue(() => begun.push('piece'));
    while (begun.filter((step) => step === 'piece').length < 3) await nextTurn();
    expect(begun.filter((step) => step === 'request').length).to.be.within(1, 4);
    expect(turns.takeNow('cheap'), 'ahead of requests that wait').to.equal(false);
    await nextTurn();
    expect(turns.takeNow(), 'no piece waits').to.equal(true);
  });

  it('begin nothing while clients connect, for 10 ms at most', async () => {
    const turns = new Turns();
    const begun: number[] = [];
    turns.takeNow();
    for (let n = 0; n < 3; n += 1) turns.queue(() => begun.push(n));
    turns.clientConnected();
    expect(turns.takeNow()).to.equal(false);
    await nextTurn();
    expect(begun).to.deep.equal([]);
    await nextTurn();
    expect(begun).to.deep.equal([0]);
    while (begun.length < 3) {
      turns.clientConnected();
      await nextTurn();
    }
  });
});
