import { expect } from 'chai';
import { readTarget } from '../src/request-target.ts';

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
