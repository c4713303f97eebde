import { expect } from 'chai';
import { type AccountLimits, NO_ACCOUNT_LIMITS, parseAccountLimit } from '../../src/domain/account.ts';
import { publicationLimitsOf } from '../../src/domain/admission.ts';
import { hours } from '../../src/domain/instant.ts';
import type { RateText } from '../../src/domain/rate.ts';

describe('the limits of an account', () => {
  it('override the general ones, and off means none', () => {
    const general = { publications: { count: 1, window: hours(1) }, sites: 2, bytes: 3, names: 4 };
    const rows: readonly [
      own: Partial<AccountLimits> | undefined,
      inForce: Partial<typeof general> | object,
    ][] = [
      [undefined, {}],
      [{}, {}],
      [{ publications: '5/2h' as RateText }, { publications: { count: 5, window: hours(2) } }],
      [
        { sites: 0, bytes: 6 },
        { sites: 0, bytes: 6 },
      ],
      [
        { publications: 'off' as RateText, sites: 'off', bytes: 'off' },
        { publications: null, sites: null, bytes: null },
      ],
    ];
    for (const [own, inForce] of rows) {
      const account = own && { limits: { ...NO_ACCOUNT_LIMITS, ...own } };
      expect(publicationLimitsOf(account, general), JSON.stringify(own)).to.deep.equal({
        ...general,
        ...inForce,
      });
    }
  });

  it('are read as people write them', () => {
    const rows = [
      ['requests', '20/1s', '20/1s'],
      ['publications', 'off', 'off'],
      ['publications', '20', undefined],
      ['sites', '20', 20],
      ['sites', 'off', 'off'],
      ['sites', '1 KiB', undefined],
      ['sites', ' 20', undefined],
      ['sites', '20 ', undefined],
      ['bytes', '9007199254740991', 2 ** 53 - 1],
      ['bytes', '9007199254740992', undefined],
      ['bytes', '00000000000000001', undefined],
      ['bytes', '1kib', 1_024],
      ['bytes', '1.5 MiB', 1.5 * 1_024 ** 2],
      ['bytes', '2 GiB', 2 * 1_024 ** 3],
      ['bytes', '0.001 TiB', 1_099_511_627],
      ['bytes', '999999999.999 KiB', 1_023_999_999_998],
      ['bytes', '1.0001 KiB', undefined],
      ['bytes', '1234567890 KiB', undefined],
      ['bytes', '1  KiB', undefined],
      ['bytes', 'x1 KiB', undefined],
      ['bytes', '1 KiB x', undefined],
      ['bytes', '.5 KiB', undefined],
      ['bytes', '-1', undefined],
    ] as const;
    for (const [name, text, limit] of rows) {
      expect(parseAccountLimit(name, text), `${name} ${text}`).to.equal(limit);
    }
  });
});
