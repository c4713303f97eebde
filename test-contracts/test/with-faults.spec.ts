import { type Clock, Fault } from '@pinfold/core';
import { expect } from 'chai';
import { type FaultyMethod, withFaults } from '../src/around-calls.ts';
import { rejectionOf } from '../src/rejection.ts';

/** A port whose state is private, as adapters' are. */
class Shelf {
  readonly #books: string[] = [];
  readonly place = 'here';

  async put(book: string): Promise<number> {
    if (book === '') throw new TypeError('a book has a name');
    return this.#books.push(book);
  }

  async list(): Promise<readonly string[]> {
    return [...this.#books];
  }
}

const fault = new Fault('store_unavailable', 'gone');

describe('withFaults', () => {
  it('lets calls pass, with their inputs and answers, and counts them for each method', async () => {
    const calls: string[] = [];
    const shelf = withFaults(new Shelf(), { onCall: (method, n) => void calls.push(`${method} ${n}`) });
    expect(await shelf.put('a')).to.equal(1);
    expect(await shelf.put('b')).to.equal(2);
    expect(await shelf.list()).to.deep.equal(['a', 'b']);
    expect(shelf.place).to.equal('here');
    expect(calls).to.deep.equal(['put 1', 'put 2', 'list 1']);
  });

  it('fails the n-th call before it reaches the port', async () => {
    const shelf = withFaults(new Shelf(), {
      onCall: (method, n) => (method === 'put' && n === 2 ? { when: 'before', fault } : undefined),
    });
    await shelf.put('a');
    expect(await rejectionOf(shelf.put('b'))).to.equal(fault);
    await shelf.put('c');
    expect(await shelf.list()).to.deep.equal(['a', 'c']);
  });

  it('fails the n-th call after the port has completed it', async () => {
    const shelf = withFaults(new Shelf(), {
      onCall: (method, n) => (method === 'put' && n === 2 ? { when: 'after', fault } : undefined),
    });
    await shelf.put('a');
    expect(await rejectionOf(shelf.put('b'))).to.equal(fault);
    expect(await shelf.list()).to.deep.equal(['a', 'b']);
  });

  it("passes on the port's own error, even if a fault was planned after the call", async () => {
    const shelf = withFaults(new Shelf(), { onCall: () => ({ when: 'after', fault }) });
    expect(await rejectionOf(shelf.put(''))).to.be.instanceOf(TypeError);
  });

  it('counts the calls of each port separately', async () => {
    const plan = {
      onCall: (_: string, n: number) => (n === 1 ? ({ when: 'before', fault } as const) : undefined),
    };
    const [one, other] = [withFaults(new Shelf(), plan), withFaults(new Shelf(), plan)];
    expect(await rejectionOf(one.put('a'))).to.equal(fault);
    expect(await rejectionOf(other.put('a'))).to.equal(fault);
    expect(await one.put('a')).to.equal(1);
  });

  it('accepts only methods that return a promise', () => {
    const faulty: FaultyMethod<Clock> = 'sleep';
    // @ts-expect-error: a clock's now returns no promise.
    const immediate: FaultyMethod<Clock> = 'now';
    expect([faulty, immediate]).to.deep.equal(['sleep', 'now']);
  });
});
