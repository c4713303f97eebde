import { createHmac, hkdfSync } from 'node:crypto';
import { type Generation, type Grant, instant, type RoleId } from '@pinfold/core';
import { HmacGrantSigner, type HmacGrantSignerOptions } from '@pinfold/platform-node';
import { expect } from 'chai';
import * as fc from 'fast-check';

const SECRET = 'a secret of more than sixteen bytes';

const grants: fc.Arbitrary<Grant> = fc.record({
  purpose: fc.constantFrom('cookie' as const, 'path' as const, 'hand_over' as const),
  role: fc.uuid().map((uuid) => uuid as string as RoleId),
  generation: fc.maxSafeNat().map((count) => count as Generation),
  accountGeneration: fc.maxSafeNat().map((count) => count as Generation),
  issuedAt: fc.maxSafeInteger().map(instant),
  madeAt: fc.maxSafeInteger().map(instant),
});

describe('HmacGrantSigner', () => {
  it('caches the last 8,192 verified tokens', () => {
    const signer = new HmacGrantSigner({ secrets: [SECRET] });
    const [grant] = fc.sample(grants, { numRuns: 1, seed: 1 }) as [Grant];
    const tokens = Array.from({ length: 8_193 }, (_, n) => signer.sign({ ...grant, issuedAt: instant(n) }));
    const [first = '', second = ''] = tokens;
    const verified = [first, second].map((token) => signer.verify(token));
    for (const token of tokens.slice(2)) signer.verify(token);
    expect(signer.verify(second), 'one of the latest').to.equal(verified[1]);
    expect(signer.verify(first), 'the one before them').to.not.equal(verified[0]);
  });

  it('accepts a secret as text or as bytes', () => {
    const [text, bytes] = [SECRET, new TextEncoder().encode(SECRET)].map(
      (secret) => new HmacGrantSigner({ secrets: [secret] }),
    );
    const [grant] = fc.sample(grants, { numRuns: 1, seed: 1 });
    expect(text?.verify(bytes?.sign(grant as Grant) ?? '')).to.deep.equal(grant);
  });

  it('refuses a secret of fewer than 16 bytes, current or earlier', () => {
    expect(() => new HmacGrantSigner({ secrets: ['fifteen bytes !'] })).to.throw(TypeError);
    expect(() => new HmacGrantSigner({ secrets: [SECRET, ''] })).to.throw(TypeError);
    expect(() => new HmacGrantSigner({ secrets: [] as never })).to.throw(
      TypeError,
      'a secret for viewing grants has at least 16 bytes',
    );
  });

  it('explains the options if secrets have another form', () => {
    for (const wrong of [{}, undefined, SECRET, [SECRET], { secret: SECRET }, { secrets: SECRET }]) {
      const make = () => new HmacGrantSigner(wrong as unknown as HmacGrantSignerOptions);
      expect(make).to.throw(TypeError, 'new HmacGrantSigner({ secrets: [');
    }
  });

  it('signs with a key derived for grants, never with the secret itself', () => {
    const [grant] = fc.sample(grants, { numRuns: 1, seed: 1 });
    const token = Buffer.from(new HmacGrantSigner({ secrets: [SECRET] }).sign(grant as Grant), 'base64url');
    const [signed, mac] = [token.subarray(0, -32), token.subarray(-32)];
    const derived = Buffer.from(hkdfSync('sha256', SECRET, '', 'pinfold viewing grant, version 1', 32));
    expect(mac.equals(createHmac('sha256', derived).update(signed).digest())).to.equal(true);
    expect(mac.equals(createHmac('sha256', SECRET).update(signed).digest())).to.equal(false);
  });
});
