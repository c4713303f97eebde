import { expect } from 'chai';
import fc from 'fast-check';
import { parseWeighted, preferredLanguage } from '../src/negotiation.ts';

const languageOf = (header: string | undefined) => preferredLanguage(header, ['en', 'ja']);

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
      'en;q=0.1, ja',
    ]) {
      expect(languageOf(header), header).to.equal('ja');
    }
  });

  it('asks for English, or for no offered language', () => {
    for (const header of [
      undefined,
      '',
      'en',
      'en-GB, ja',
      'fr',
      'ja;q=0',
      'ja;q=0.2, en;q=0.3',
      '*, ja;q=0.9',
      ';;;,,q=',
      'jav',
      'jam-JM',
    ]) {
      expect(languageOf(header), header).to.equal('en');
    }
  });

  it('counts as absent if it is longer than a KiB', () => {
    expect(languageOf('ja,'.padEnd(1_024))).to.equal('ja');
    expect(languageOf('ja,'.padEnd(1_025))).to.equal('en');
  });

  it('is read without an error for any text', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(['en', 'ja']).to.include(languageOf(header));
      }),
    );
  });
});

describe('A list with quality values', () => {
  it('is read with its weights; an invalid one counts as 0', () => {
    expect(parseWeighted('GZIP, br;q=0.5;x=1, a; Q = 1, ,b;q=2,c;q=')).to.deep.equal([
      { value: 'gzip', weight: 1 },
      { value: 'br', weight: 0.5 },
      { value: 'a', weight: 1 },
      { value: 'b', weight: 0 },
      { value: 'c', weight: 0 },
    ]);
  });
});
