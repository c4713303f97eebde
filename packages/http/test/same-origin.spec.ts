import { expect } from 'chai';
import { publicUrl } from '../src/index.ts';
import { isSameOriginForm } from '../src/internal.ts';

const ORIGIN = 'https://share.example';
const PUBLIC = publicUrl(`${ORIGIN}/below`);

describe('a form', () => {
  it('is accepted if the browser says same-origin or none, with any other headers', () => {
    expect(
      isSameOriginForm({ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, PUBLIC),
    ).to.equal(true);
    expect(isSameOriginForm({ 'sec-fetch-site': 'none' }, PUBLIC)).to.equal(true);
  });

  it('is refused if the browser says anything else, with any other headers', () => {
    for (const site of ['same-site', 'cross-site', '', 'Same-Origin', 'same-origin, none']) {
      expect(isSameOriginForm({ 'sec-fetch-site': site, origin: ORIGIN }, PUBLIC), site).to.equal(false);
    }
  });

  it('is judged by its Origin if the browser says nothing', () => {
    const host = '10.0.0.7:8080';
    expect(isSameOriginForm({}, PUBLIC)).to.equal(true);
    for (const origin of [ORIGIN, 'https://SHARE.example', 'http://10.0.0.7:8080', 'https://10.0.0.7:8080']) {
      expect(isSameOriginForm({ origin, host }, PUBLIC), origin).to.equal(true);
      expect(isSameOriginForm({ origin, ':authority': host }, PUBLIC), origin).to.equal(true);
    }
    for (const origin of [
      'null',
      '',
      'https://evil.example',
      'https://id.share.example',
      'http://10.0.0.7',
      'http://share.example',
    ]) {
      expect(isSameOriginForm({ origin, host }, PUBLIC), origin).to.equal(false);
    }
  });
});
