import { expect } from 'chai';
import { createUseCases, days, defaultLimits, type Limits, type Ports } from '../../src/index.ts';

const ports = { staging: {}, clock: {} } as Ports;

describe('putting the use cases together', () => {
  it('takes the limits that differ, and the defaults for the others', () => {
    expect(createUseCases(ports).limits).to.deep.equal(defaultLimits);
    const { limits } = createUseCases(ports, { lifetime: days(30), files: 0 });
    expect(limits).to.deep.equal({ ...defaultLimits, lifetime: days(30), files: 0 });
  });

  it('hands on what servers need beside the use cases', () => {
    expect(createUseCases(ports)).to.include({ staging: ports.staging, clock: ports.clock });
  });

  for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '500', undefined]) {
    it(`refuses ${typeof value} ${value} as a limit`, () => {
      const limits = { files: value } as unknown as Partial<Limits>;
      expect(() => createUseCases(ports, limits)).to.throw(TypeError);
    });
  }
});
