import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { newFormSecret } from '../src/request/cookies.ts';
import { type Flash, readFlash, signFlash } from '../src/response/answer.ts';
import { openSignedIn, person } from './open-screen.ts';

const FLASH: Flash = {
  tone: 'good',
  message: 'didPublish',
  values: { name: '“x”' },
};

describe('the flash message after a redirect', () => {
  const secret = newFormSecret();

  it('can be read only with the secret that signed it', () => {
    const signed = signFlash(FLASH, secret);
    expect(signed).to.match(/^[\w-]+\.[\w-]+$/);
    expect(readFlash(signed, secret)).to.deep.equal(FLASH);
    expect(readFlash(signed, newFormSecret())).to.equal(undefined);
  });

  it('is ignored if any part of it was changed, truncated or invented', () => {
    const signed = signFlash(FLASH, secret);
    for (let at = 0; at < signed.length; at += 1) {
      const other = signed[at] === 'A' ? 'B' : 'A';
      const changed = signed.slice(0, at) + other + signed.slice(at + 1);
      expect(readFlash(changed, secret), `character ${at}`).to.equal(undefined);
    }
    for (const text of ['', 'x', '.', '%', signed.slice(0, -1), `${signed}.x`.slice(2), 'a'.repeat(5_000)]) {
      expect(readFlash(text, secret), text.slice(0, 9)).to.equal(undefined);
    }
  });

  it('fits into a cookie, with as many warnings as possible', () => {
    const warnings = Array.from(
      { length: 20 },
      (_, n) => ({ rule: 'broken_reference', path: `p/${n}.html`, target: 'あ'.repeat(100) }) as const,
    );
    const signed = signFlash({ ...FLASH, warnings }, secret);
    expect(signed.length).to.be.below(3_800);
    const shown = readFlash(signed, secret)?.warnings ?? [];
    expect(shown).to.deep.equal(warnings.slice(0, shown.length));
    expect(shown.length).to.be.within(5, 19);
  });

  it('of another release, or unreadable though signed, is not shown', async () => {
    await openSignedIn();
    const form = person.cookies.get('pinfold_form') ?? '';
    const sign = (text: string) =>
      createHmac('sha256', form).update(`pinfold flash\n${text}`).digest('base64url');
    for (const flash of [
      signFlash({ ...FLASH, message: 'ofTomorrow' as 'didPublish' }, form),
      signFlash({ ...FLASH, message: 'constructor' as 'didPublish' }, form),
      ...['e30x', 'bnVsbA', 'e30'].map((text) => `${text}.${sign(text)}`),
    ]) {
      const session = person.cookies.get('pinfold_session');
      const cookie = `pinfold_form=${form}; pinfold_session=${session}; pinfold_flash=${flash}`;
      const page = await person.get('/', { cookie });
      expect(page.status, flash).to.equal(200);
      expect(page.text).to.include('Publish').and.not.to.include('class="flash');
    }
  });
});
