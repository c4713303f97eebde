import { expect } from 'chai';
import fc from 'fast-check';
import { languageOf } from '../src/accept-language.ts';

describe('Accept-Language', () => {
  it('asks for Japanese', () => {
    for (const header of [
      'ja',
      'ja-JP',
      'JA',
      'fr, ja;q=0.5',
      'en;q=0.4, ja;q=0.5',
      'ja, en',
      'en;q=0, ja;q=0.1',
    ]) {
      expect(languageOf(header), header).to.equal('ja');
    }
  });

  it('asks for English, or for nothing we speak', () => {
    for (const header of [
      undefined,
      '',
      'en',
      'en-GB, ja',
      'fr',
      'ja;q=0',
      'ja;q=0.2, en;q=0.3',
      '*, ja;q=0.9',
      'jav',
      'jam-JM',
    ]) {
      expect(languageOf(header), header).to.equal('en');
    }
  });

  it('is read without harm, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['en', 'ja']).to.include(languageOf(header));
      }),
    );
  });
});
