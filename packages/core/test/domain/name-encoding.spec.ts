import { expect } from 'chai';
import {
  chooseNameEncoding,
  encodingOfCharset,
  isPlausibleName,
  NAME_ENCODINGS,
  type NameEncoding,
  type NameReading,
  type PageLabels,
} from '../../src/domain/name-encoding.ts';

/** Chooses among all encodings, of which some find references and some read a backslash in a name. */
function chosen(
  found: Partial<Record<NameEncoding, number>> = {},
  labels: PageLabels = {},
  backslash: readonly NameEncoding[] = [],
): NameEncoding {
  const readings = NAME_ENCODINGS.map(
    (encoding): NameReading => ({
      encoding,
      found: found[encoding] ?? 0,
      backslash: backslash.includes(encoding),
    }),
  );
  return chooseNameEncoding(readings, labels);
}

describe('the encoding of unmarked names', () => {
  it('is the one with which most references are found, whatever the first page declares', () => {
    expect(chosen({ CP866: 2, CP932: 1 }, { charset: 'shift_jis', lang: 'ja' })).to.equal('CP866');
  });

  it('is, if several are equal, decided by the charset of the first page, then by its language', () => {
    const tied = { CP932: 1, GB18030: 1, CP866: 1 };
    expect(chosen(tied, { charset: 'GBK', lang: 'ja' })).to.equal('GB18030');
    expect(chosen(tied, { charset: 'utf-8', lang: 'bg-BG' })).to.equal('CP866');
    expect(chosen(tied, { charset: 'euc-kr', lang: 'ko' })).to.equal('CP932');
    expect(chosen(tied)).to.equal('CP932');
  });

  it('is the one of the first page if no reference is found, else code page 437', () => {
    expect(chosen({}, { charset: 'Windows-1251' })).to.equal('windows-1251');
    expect(chosen({}, { lang: 'uk' })).to.equal('CP866');
    expect(chosen({}, { charset: 'utf-8', lang: 'de' })).to.equal('CP437');
    expect(chosen()).to.equal('CP437');
    expect(chooseNameEncoding([], { lang: 'ja' })).to.equal('CP437');
  });

  it('is not code page 437 by default if that reads a backslash in a name', () => {
    expect(chosen({}, {}, ['CP866', 'windows-1252', 'CP850', 'CP437'])).to.equal('CP932');
    expect(chosen({}, {}, NAME_ENCODINGS)).to.equal('CP437');
  });

  for (const [lang, encoding] of [
    ['ja', 'CP932'],
    ['JA-jp', 'CP932'],
    ['zh', 'GB18030'],
    ['zh-Hans-CN', 'GB18030'],
    ['zh-Hant', 'Big5'],
    ['zh-TW', 'Big5'],
    ['zh-hk', 'Big5'],
    ['ko-KR', 'CP949'],
    ['ru', 'CP866'],
    ['be', 'CP866'],
    ['jav', 'CP437'],
    ['', 'CP437'],
  ] as const) {
    it(`is ${encoding} by the language "${lang}"`, () => {
      expect(chosen({}, { lang })).to.equal(encoding);
    });
  }

  for (const [charset, encoding] of [
    ['Shift_JIS', 'CP932'],
    ['windows-31j', 'CP932'],
    ['x-sjis', 'CP932'],
    ['gb2312', 'GB18030'],
    ['GB18030', 'GB18030'],
    ['big5-hkscs', 'Big5'],
    ['EUC-KR', 'CP949'],
    ['ks_c_5601-1987', 'CP949'],
    ['cp1251', 'windows-1251'],
    ['IBM866', 'CP866'],
    ['iso-8859-1', 'windows-1252'],
    ['latin1', 'windows-1252'],
    ['utf-8', undefined],
    ['euc-jp', undefined],
    ['koi8-r', undefined],
  ] as const) {
    it(`is ${encoding ?? 'unknown'} by the charset ${charset}`, () => {
      expect(encodingOfCharset(charset)).to.equal(encoding);
    });
  }

  it('decodes each name completely, without control, private or unassigned characters', () => {
    for (const name of ['会社.html', 'ｱ.txt', 'é', '€', 'Icon\r', 'a/._Icon\r', '𠮷']) {
      expect(isPlausibleName(name), name).to.equal(true);
    }
    for (const name of ['a\ufffd', 'a\x80', 'a\x7f', '\ue000', '\u0378', '\ud800', 'a\r', '\u{10fffd}']) {
      expect(isPlausibleName(name), JSON.stringify(name)).to.equal(false);
    }
  });
});
