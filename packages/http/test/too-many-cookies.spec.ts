import { expect } from 'chai';
import { hasTooManyCookies } from '../src/index.ts';

describe('cookies', () => {
  it('are too many above 12 KiB, however many headers they came in', () => {
    const isTooMuch = (cookie: string | undefined): boolean =>
      hasTooManyCookies({ headers: cookie === undefined ? {} : { cookie } });
    expect(isTooMuch(undefined)).to.equal(false);
    expect(isTooMuch('a=b')).to.equal(false);
    expect(isTooMuch('a'.repeat(12_288))).to.equal(false);
    expect(isTooMuch('a'.repeat(12_289))).to.equal(true);
    // Node joins several headers to one before anybody sees them.
    expect(
      isTooMuch(
        Array(4)
          .fill(`b=${'x'.repeat(3_900)}`)
          .join('; '),
      ),
    ).to.equal(true);
  });
});
