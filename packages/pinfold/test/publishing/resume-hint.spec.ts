import { expect } from 'chai';
import { formatResumeHint } from '../../src/commands/publish.ts';

describe('the advice after an attempt with an unknown outcome', () => {
  it('names the option with the key of the attempt, quoted for a shell', () => {
    expect(formatResumeHint({ idempotencyKey: 'nightly-17' }, 'interrupted:')).to.include(
      '--idempotency-key nightly-17,',
    );
    expect(formatResumeHint({ idempotencyKey: "Ada's site" }, 'interrupted:')).to.include(
      String.raw`--idempotency-key 'Ada'\''s site',`,
    );
  });
});
