import { expect } from 'chai';
import { resumeHint } from '../../src/publishing/persist.ts';

describe('resumeHint', () => {
  it('names the option with the key that was in use', () => {
    expect(resumeHint({ idempotencyKey: 'nightly-17' })).to.include('--idempotency-key nightly-17,');
  });

  it('names a key as a shell takes it', () => {
    const said = resumeHint({ idempotencyKey: "Ada's site" });
    expect(said).to.include(String.raw`--idempotency-key 'Ada'\''s site',`);
  });
});
