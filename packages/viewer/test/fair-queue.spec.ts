import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { FairQueue } from '../src/sending/fair-queue.ts';
import type { Release } from '../src/sending/memory-budget.ts';
import { UnavailableError } from '../src/sending/unavailable-error.ts';

const never = new AbortController().signal;

/** Takes turns under names, and tells which were given. */
function stage(places: number, longest: number) {
  const turns = new FairQueue(places, longest);
  const given: string[] = [];
  const refused: string[] = [];
  const places_: Release[] = [];
  const take = (name: string, { isNew = true, signal = never } = {}): void => {
    turns.take(name.slice(0, 1), signal, isNew).then(
      (release) => {
        given.push(name);
        places_.push(release);
      },
      (error: unknown) => refused.push(error instanceof UnavailableError ? name : `${name} left`),
    );
  };
  const giveBack = async (): Promise<void> => {
    places_.shift()?.();
    await setImmediate();
  };
  return { turns, given, refused, take, giveBack };
}

describe('turns at inflating', () => {
  it('are as many at once as there are places; the next begins when one ends', async () => {
    const { turns, given, take, giveBack } = stage(2, 10);
    for (const name of ['a1', 'a2', 'a3']) take(name);
    await setImmediate();
    expect(given).to.deep.equal(['a1', 'a2']);
    expect([turns.running, turns.waiting]).to.deep.equal([2, 1]);
    await giveBack();
    expect(given).to.deep.equal(['a1', 'a2', 'a3']);
    for (let time = 0; time < 3; time += 1) await giveBack();
    expect([turns.running, turns.waiting]).to.deep.equal([0, 0]);
  });

  it('go round among clients, whatever one of them has waiting', async () => {
    const { given, take, giveBack } = stage(1, 10);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) take(name);
    for (let time = 0; time < 7; time += 1) await giveBack();
    expect(given.join(' ')).to.equal('a1 a2 b1 c1 a3 b2 a4');
  });

  it('are refused to the client with the most in line when too many wait', async () => {
    const { turns, given, refused, take, giveBack } = stage(1, 3);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'b2']) take(name);
    await setImmediate();
    expect(refused).to.deep.equal(['a4', 'a5', 'b2']);
    expect(turns.waiting).to.equal(3);
    for (let time = 0; time < 4; time += 1) await giveBack();
    expect(given.join(' ')).to.equal('a1 a2 b1 a3');
  });

  it('are never refused to what was begun, which comes first of its client', async () => {
    const { given, refused, take, giveBack } = stage(1, 1);
    for (const name of ['a1', 'a2']) take(name);
    for (const name of ['a3', 'a4']) take(name, { isNew: false });
    for (let time = 0; time < 4; time += 1) await giveBack();
    expect(refused).to.deep.equal([]);
    expect(given.join(' ')).to.equal('a1 a3 a4 a2');
  });

  it('are given up by who leaves, and a place given back twice is one place', async () => {
    const { turns, given, refused, take } = stage(1, 10);
    const leaving = new AbortController();
    const release = await turns.take('a', never, true);
    take('b1', { signal: leaving.signal });
    take('b2');
    leaving.abort();
    take('b3', { signal: leaving.signal });
    await setImmediate();
    expect(refused).to.deep.equal(['b1 left', 'b3 left']);
    release();
    release();
    await setImmediate();
    expect(given).to.deep.equal(['b2']);
    expect([turns.running, turns.waiting]).to.deep.equal([1, 0]);
  });

  it('leave nothing behind at the signal of who was let in, or refused', async () => {
    const { given, refused, take, giveBack } = stage(1, 1);
    const { signal } = new AbortController();
    for (const name of ['a1', 'a2', 'a3']) take(name, { signal });
    await setImmediate();
    await giveBack();
    expect([given, refused]).to.deep.equal([['a1', 'a2'], ['a3']]);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });
});
