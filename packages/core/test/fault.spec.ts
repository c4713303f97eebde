import { expect } from 'chai';
import { Fault, type FaultCode, isFault } from '../src/index.ts';

describe('a fault', () => {
  const retryable: Readonly<Record<FaultCode, boolean>> = {
    archive_missing: true,
    hasher_overloaded: true,
    publishing_overloaded: true,
    staging_unavailable: true,
    storage_unavailable: true,
    store_corrupt: false,
    store_unavailable: true,
  };
  for (const [code, expected] of Object.entries(retryable)) {
    it(`${code} is ${expected ? '' : 'not '}retryable`, () => {
      const fault = new Fault(code as FaultCode, 'broken');
      expect(fault).to.be.an('error').and.to.include({ code, retryable: expected });
    });
  }

  it('has its name and its cause', () => {
    const cause = new Error('the disk');
    const fault = new Fault('storage_unavailable', 'broken', { cause });
    expect(fault).to.include({ name: 'Fault', message: 'broken', cause });
    expect(String(fault)).to.equal('Fault: broken');
  });

  it('is recognized by another copy of the package', async () => {
    const another = new URL('../src/fault.ts?another', import.meta.url).href;
    const copy: typeof import('../src/fault.ts') = await import(another);
    const theirs = new copy.Fault('store_corrupt', 'broken');
    expect(theirs).not.to.be.instanceOf(Fault);
    expect(Symbol.for('@pinfold/core/fault') in theirs, 'the mark of every version').to.equal(true);
    expect([isFault(theirs), copy.isFault(new Fault('store_corrupt', 'broken'))]).to.deep.equal([true, true]);
  });

  it('is not recognized in any other thrown value', () => {
    for (const thrown of [
      undefined,
      null,
      'store_corrupt',
      1,
      {},
      { code: 'store_corrupt' },
      new Error('x'),
    ]) {
      expect(isFault(thrown)).to.equal(false);
    }
  });
});
