import { expect } from 'chai';
import { replacing } from '../src/around-calls.ts';

/** A port with a state of its own, and one within it. */
class Counter {
  readonly within: { readonly name: string } = { name: 'its own' };
  #count = 0;

  count(): number {
    this.#count += 1;
    return this.#count;
  }

  reset(): void {
    this.#count = 0;
  }
}

describe('replacing', () => {
  it('puts other methods in the place of some, and leaves the port the rest', () => {
    const counter = replacing(new Counter(), { reset: () => {} });
    counter.count();
    counter.reset();
    expect(counter.count()).to.equal(2);
  });

  it('puts others in the place of members that are no methods, too', () => {
    expect(replacing(new Counter(), { within: { name: 'another' } }).within.name).to.equal('another');
  });
});
