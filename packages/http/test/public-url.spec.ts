import { parseRoleId, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { publicUrl, sharedUrl } from '../src/index.ts';
import { pathOf } from '../src/internal.ts';

describe('The public URL', () => {
  it('loses a trailing slash, and gets a host in lower case', () => {
    for (const text of ['https://PAGES.example', 'https://pages.example/', 'https://pages.example:443//']) {
      expect(publicUrl(text), text).to.equal('https://pages.example');
    }
    expect(publicUrl('http://localhost:8080/Team/share/')).to.equal('http://localhost:8080/Team/share');
  });

  it('is refused unless it is a web address and nothing else', () => {
    for (const text of [
      '',
      'pages.example',
      'ftp://pages.example',
      'https://pages.example/?',
      'https://pages.example/?a',
      'https://pages.example#a',
      'https://user@pages.example',
      'https://:secret@pages.example',
    ]) {
      expect(() => publicUrl(text), text).to.throw(TypeError, /^publicUrl must /);
    }
  });

  it('is refused with the error of the caller', () => {
    expect(() => publicUrl('x', (expectation) => new RangeError(`--url ${expectation}`))).to.throw(
      RangeError,
      '--url must be a URL that begins with http:// or https://',
    );
  });

  it('has a path, and shared URLs below it', () => {
    const id = parseRoleId('0198f3a0-0000-7000-8000-000000000001') as RoleId;
    for (const [text, path] of [
      ['https://pages.example/', ''],
      ['https://pages.example/team/', '/team'],
    ] as const) {
      const url = publicUrl(text);
      expect(pathOf(url)).to.equal(path);
      expect(sharedUrl(url, id)).to.equal(`https://pages.example${path}/s/${id}`);
    }
  });
});
