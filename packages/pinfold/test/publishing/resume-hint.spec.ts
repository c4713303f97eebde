import { expect } from 'chai';
import { resumeHint } from '../../src/publishing/resume-hint.ts';

describe('how to go on after an attempt whose end is unknown', () => {
  it('names the option with the key that was in use, as a shell takes it', () => {
    expect(resumeHint({ idempotencyKey: 'nightly-17' }, 'interrupted:')).to.include(
      '--idempotency-key nightly-17,',
    );
    expect(resumeHint({ idempotencyKey: "Ada's site" }, 'interrupted:')).to.include(
      String.raw`--idempotency-key 'Ada'\''s site',`,
    );
  });
});
