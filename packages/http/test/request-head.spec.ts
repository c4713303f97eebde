import { expect } from 'chai';
import { publicUrl } from '../src/index.ts';
import { isSameOriginForm } from '../src/internal.ts';
import { hasSeveralHosts, readTarget } from '../src/request-head.ts';

describe('a request target', () => {
  it('is for the host of the Host header if it begins with a slash', () => {
    for (const path of ['/', '/a?b=http://c', '//a', '/http://a/']) {
      expect(readTarget(path, 'host.example'), path).to.deep.equal({ path, host: 'host.example' });
    }
  });

  it('is for its own host in absolute form', () => {
    for (const [target, host, path] of [
      ['http://a.example', 'a.example', '/'],
      ['http://a.example/', 'a.example', '/'],
      ['https://a.example:8443/b?c#d', 'a.example:8443', '/b?c#d'],
      ['HTTP://A.example?b=/c', 'A.example', '/?b=/c'],
      ['http://[::1]:80/b', '[::1]:80', '/b'],
      ['http://a.example//b', 'a.example', '//b'],
      ['http://a.example/@b:c', 'a.example', '/@b:c'],
    ] as const) {
      expect(readTarget(target, 'other.example'), target).to.deep.equal({ host, path });
    }
  });

  it('is unreadable otherwise', () => {
    for (const target of [
      '',
      '*',
      'a',
      'a.example:80',
      'ftp://a.example/',
      'xhttp://a.example/',
      'http:/a',
      'http:a',
      'http://',
      'http:///b',
      'http://?b',
      'http://:80/',
      'http://user@a.example/',
      'https://user:secret@a.example/',
      'http://@a.example/',
      'http://a.example#b',
    ]) {
      expect(readTarget(target, 'host.example'), target).to.equal(undefined);
    }
  });
});

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

describe('hasSeveralHosts', () => {
  it('counts Host headers in any letter case, among any other headers', () => {
    const raw = (...names: readonly string[]) => ({ rawHeaders: names.flatMap((name) => [name, 'host']) });
    for (const names of [[], ['Accept'], ['Host'], ['Date', 'host', 'ETag', 'Hose', 'Hosts']]) {
      expect(hasSeveralHosts(raw(...names)), names.join()).to.equal(false);
    }
    for (const names of [
      ['Host', 'Host'],
      ['host', 'Date', 'HOST'],
      ['Accept', 'hOST', 'Hosts', 'Host', 'Via'],
    ]) {
      expect(hasSeveralHosts(raw(...names)), names.join()).to.equal(true);
    }
  });
});
