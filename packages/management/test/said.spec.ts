import { expect } from 'chai';
import { newFormSecret } from '../src/form-guard.ts';
import { openSaid, type Said, sealSaid } from '../src/said.ts';

const SAID: Said = {
  tone: 'good',
  message: 'didCreateKey',
  apiKey: 'pf_abc_secret',
  values: { name: '“x”' },
};

describe('what is said after a redirect', () => {
  const secret = newFormSecret();

  it('can be read with the secret it was sealed with, and with no other', () => {
    const sealed = sealSaid(SAID, secret);
    expect(sealed)
      .to.match(/^[\w-]+$/)
      .and.not.include('secret');
    expect(openSaid(sealed, secret)).to.deep.equal(SAID);
    expect(openSaid(sealed, newFormSecret())).to.equal(undefined);
  });

  it('is nothing when any part of it was changed, cut or made up', () => {
    const sealed = Buffer.from(sealSaid(SAID, secret), 'base64url');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openSaid(changed.toString('base64url'), secret), `byte ${at}`).to.equal(undefined);
    }
    for (const text of ['', 'x', '%', sealed.subarray(0, -1).toString('base64url'), 'a'.repeat(5_000)]) {
      expect(openSaid(text, secret), text.slice(0, 9)).to.equal(undefined);
    }
  });

  it('fits into a cookie, and tells as many remarks as do', () => {
    const remarks = Array.from(
      { length: 20 },
      (_, n) => ({ rule: 'broken_reference', path: `p/${n}.html`, target: 'あ'.repeat(100) }) as const,
    );
    const sealed = sealSaid({ ...SAID, remarks }, secret);
    expect(sealed.length).to.be.below(3_800);
    const told = openSaid(sealed, secret)?.remarks ?? [];
    expect(told).to.deep.equal(remarks.slice(0, told.length));
    expect(told.length).to.be.within(5, 19);
  });
});
