import { expect } from 'chai';
import { decodeFilename } from '../src/filename.ts';
import { readPartHead } from '../src/part-head.ts';
import { RequestRefused } from '../src/problem.ts';

const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;

/** The file's name in a head that is sent as UTF-8. */
function filenameIn(rest: string): string | undefined {
  const { filename } = readPartHead(Buffer.from(disposition(rest)).toString('latin1'));
  return filename === undefined ? 'none' : decodeFilename(filename);
}

describe('The head of a part', () => {
  it('has a name, in quotes or without, in any order of its parameters', () => {
    for (const rest of [
      'name="archive"',
      'name=archive',
      'filename=x ; NAME="archive"',
      'name = "archive";',
    ]) {
      expect(readPartHead(disposition(rest)).name).to.equal('archive');
    }
    expect(readPartHead(disposition('name="a\\"b\\\\c\\d"')).name).to.equal('a"b\\c\\d');
  });

  it('may have a media type, whose parameters do not count', () => {
    const typed = (type: string) => readPartHead(`${disposition('name=x')}\r\ncontent-type:${type}`).type;
    expect(typed(' Application/ZIP; charset=x')).to.equal('application/zip');
    expect(typed('application/zip ;x')).to.equal('application/zip');
    expect(typed(';x')).to.equal('');
    for (const none of ['', ' \t']) expect(typed(none)).to.equal(undefined);
    expect(readPartHead(disposition('name=x')).type).to.equal(undefined);
  });

  it('may be folded over several lines', () => {
    expect(readPartHead('Content-Disposition: form-data;\r\n\tname="x"').name).to.equal('x');
  });

  it('breaks the form when it is no head of a form’s part', () => {
    const heads = [
      '',
      'Content-Type: application/zip',
      'Content-Disposition: attachment; name="x"',
      'Content-Disposition: form-data',
      'Content-Disposition: form-datax; name=x',
      disposition('filename="x"'),
      disposition('name="x'),
      disposition('name="x" filename="y"'),
      disposition('name=x; name=y'),
      disposition('name=x; filename=a; filename=b'),
      disposition('name=my name'),
      `${disposition('name=x')}\r\n${disposition('name=y')}`,
      `${disposition('name=x')}\r\nno colon`,
      `${disposition('name=x')}\r\nbad name: y`,
    ];
    for (const head of heads) expect(() => readPartHead(head), head).to.throw(RequestRefused);
  });

  it('is read in linear time', () => {
    const blanks = ' '.repeat(16_000);
    for (const rest of [
      `name=x;${blanks}y`,
      `name="${'\\'.repeat(16_000)}`,
      `${'a=;'.repeat(5_000)}`,
      blanks,
    ]) {
      expect(() => readPartHead(disposition(rest))).to.throw(RequestRefused);
    }
    expect(readPartHead(`${disposition('name=x')}\r\nX:${blanks}y${blanks}`).name).to.equal('x');
  });
});

describe('The name of a file', () => {
  it('is read as UTF-8, with the three escapes that browsers make', () => {
    expect(filenameIn('name=x; filename="日本.zip"')).to.equal('日本.zip');
    expect(filenameIn('name=x; filename="a%22b%0d%0A%41.zip"')).to.equal('a"b\r\n%41.zip');
    expect(filenameIn('name=x; filename="\ufeffa.zip"')).to.equal('\ufeffa.zip');
    expect(filenameIn('name=x; filename="\ufffd.zip"')).to.equal('\ufffd.zip');
    expect(filenameIn('name=x; filename=""')).to.equal('');
    expect(filenameIn('name=x')).to.equal('none');
  });

  it('is taken from filename* first, percent-decoded as UTF-8', () => {
    expect(filenameIn("name=x; filename=a.zip; filename*=UTF-8''%e6%97%a5%2522.zip")).to.equal('日%22.zip');
    expect(filenameIn("name=x; filename*=utf-8'ja'a%EF%BF%BD.zip; filename=b.zip")).to.equal('a\ufffd.zip');
    expect(filenameIn('name=x; filename*="UTF-8\'\'a.zip"')).to.equal('a.zip');
  });

  it('is none when its bytes or its encoding are not UTF-8', () => {
    const wrong = [
      "UTF-8''%FF",
      "UTF-8''%E6%97",
      "ISO-8859-1''a",
      "''a",
      'a.zip',
      "UTF-8''%4",
      "UTF-8''%zz",
      "UTF-8'a",
    ];
    for (const value of wrong) {
      expect(filenameIn(`name=x; filename=a.zip; filename*=${value}`), value).to.equal(undefined);
    }
    expect(decodeFilename({ form: 'plain', value: 'caf\u00e9.zip' })).to.equal(undefined);
    expect(decodeFilename({ form: 'plain', value: '\u00ed\u00a0\u0080' })).to.equal(undefined);
  });
});
