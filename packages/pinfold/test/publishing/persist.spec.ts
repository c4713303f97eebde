import { expect } from 'chai';
import { resumption } from '../../src/publishing/persist.ts';

describe('resumption', () => {
  it('names the option with the key that was in use', () => {
    expect(resumption({ idempotencyKey: 'nightly-17' })).to.include('--idempotency-key nightly-17 ');
  });

  it('names a key as a shell takes it', () => {
    const said = resumption({ idempotencyKey: "Ada's site" });
    expect(said).to.include(String.raw`--idempotency-key 'Ada'\''s site' `);
  });
});
