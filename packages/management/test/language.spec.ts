import { expect } from 'chai';
import { preferredLanguage } from '../src/language.ts';

describe('preferredLanguage', () => {
  for (const [header, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['ja', 'ja'],
    ['JA-jp', 'ja'],
    ['fr, de;q=0.8', 'en'],
    ['fr, ja;q=0.1', 'ja'],
    ['en;q=0.5, ja;q=0.6', 'ja'],
    ['en, ja', 'en'],
    ['ja;q=0, en;q=0.1', 'en'],
    ['ja;q=0', 'en'],
    ['*, ja;q=0.5', 'en'],
    ['jav', 'en'],
    [';;;,,q=', 'en'],
  ] as const) {
    it(`takes ${language} for ${header}`, () => expect(preferredLanguage(header)).to.equal(language));
  }
});
