import { expect } from 'chai';
import { createUseCases, days, defaultLimits, type Limits, type Ports } from '../../src/index.ts';

const ports = { staging: {}, clock: {} } as Ports;

describe('creating the use cases', () => {
  it('uses the given limits, and the defaults for the others', () => {
    expect(createUseCases(ports).limits).to.deep.equal(defaultLimits);
    const { limits } = createUseCases(ports, { renewal: days(30), files: 0 });
    expect(limits).to.deep.equal({ ...defaultLimits, renewal: days(30), files: 0 });
  });

  it('renews for as long as a new publication lives by default', () => {
    expect(createUseCases(ports, { lifetime: days(30) }).limits.renewal).to.equal(days(30));
    const { limits } = createUseCases(ports, { lifetime: days(30), renewal: days(7) });
    expect(limits.renewal).to.equal(days(7));
  });

  for (const [name, bound] of [
    ['archiveBytes', 'expandedBytes'],
    ['fileBytes', 'expandedBytes'],
    ['passwordMinCharacters', 'passwordMaxBytes'],
    ['attemptsPerAddress', 'attemptsPerRole'],
  ] as const) {
    it(`refuses limits that contradict one another: ${name} above ${bound}`, () => {
      const maximum = defaultLimits[bound];
      expect(createUseCases(ports, { [name]: maximum }).limits[name]).to.equal(maximum);
      expect(() => createUseCases(ports, { [name]: maximum + 1 })).to.throw(
        TypeError,
        `limits.${name} must not be above limits.${bound}, which is ${maximum}`,
      );
    });
  }

  for (const name of ['lifetime', 'renewal'] as const) {
    it(`refuses over 36,500 days, whose instants could leave the years of RFC 3339, as ${name}`, () => {
      const longest = days(36_500);
      expect(createUseCases(ports, { [name]: longest }).limits[name]).to.equal(longest);
      expect(() => createUseCases(ports, { [name]: longest + 1 })).to.throw(
        TypeError,
        `limits.${name} must be at most 36500 days`,
      );
    });
  }

  it('refuses an unknown limit', () => {
    const limits = { archive_bytes: 5 } as object;
    expect(() => createUseCases(ports, limits)).to.throw(TypeError, 'limits has no archive_bytes');
  });

  it('returns the ports that servers need beside the use cases', () => {
    expect(createUseCases(ports)).to.include({ staging: ports.staging, clock: ports.clock });
  });

  for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '500', undefined]) {
    it(`refuses ${typeof value} ${value} as a limit`, () => {
      const limits = { files: value } as unknown as Partial<Limits>;
      expect(() => createUseCases(ports, limits)).to.throw(
        TypeError,
        'limits.files must be a whole number from 0',
      );
    });
  }

  it('refuses limits under which every publication would wait for ever', () => {
    for (const name of ['publishing', 'proving']) {
      const expected = `limits.${name} must be at least 1`;
      expect(() => createUseCases(ports, { [name]: 0 })).to.throw(TypeError, expected);
    }
  });
});
