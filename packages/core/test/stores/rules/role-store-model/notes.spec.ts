import type { Instant } from '@pinfold/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { Notes } from './notes.ts';

describe('Random sequences of a role store', () => {
  it('never let two roles wait equally long, for a store may claim either first', () => {
    const instants = fc.constantFrom(
      0,
      200,
      300,
      1_000,
      4_294_966_296,
      4_294_967_296,
    ) as fc.Arbitrary<Instant>;
    const asked = fc.tuple(instants, fc.constantFrom('role', 'claim', 'retry'), fc.nat({ max: 5 }));
    const property = fc.property(fc.array(asked, { size: 'max', maxLength: 60 }), (all) => {
      const notes = new Notes();
      const owners = new Map<Instant | null, string>();
      for (const [at, of, n] of all) {
        const own = notes.own(at, of, n);
        expect(owners.get(own) ?? `${of} ${n}`, `who has ${own}`).to.equal(`${of} ${n}`);
        owners.set(own, `${of} ${n}`);
      }
    });
    fc.assert(property);
  });
});
