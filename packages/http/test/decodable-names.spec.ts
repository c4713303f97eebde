import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import { DecodableNames } from '../src/forms/decodable-names.ts';

const TYPE = 'multipart/form-data; boundary=fixture';
const PLAIN = 'Content-Disposition: form-data; name="archive"; filename="site.zip"';
const BROKEN_VALUES = [
  "utf-8''%zz",
  "utf-8''%e",
  "utf-8''%",
  "utf-8'en'a b.zip",
  "none''a.zip",
  "''a.zip",
  "utf-8'a.zip",
  'a.zip',
  `"utf-8''a.zip"`,
  `utf-8''a".zip`,
  '',
];

/** A form of one text and one file with the given Content-Disposition. */
function form(disposition: string, content = 'PK', text = 'Tide'): string {
  const title = `--fixture\r\nContent-Disposition: form-data; name="title"\r\n\r\n${text}\r\n`;
  return `${title}--fixture\r\n${disposition}\r\nContent-Type: application/zip\r\n\r\n${content}\r\n--fixture--\r\n`;
}

/** Passes a form on in pieces that end at the given offsets. */
async function passOn(body: string, offsets: readonly number[] = [], type = TYPE): Promise<string> {
  const names = new DecodableNames(type);
  const ends = [...offsets.map((offset) => offset % body.length).toSorted((a, b) => a - b), body.length];
  let from = 0;
  for (const end of ends) {
    names.write(Buffer.from(body.slice(from, end), 'latin1'));
    from = end;
  }
  names.end();
  return (await buffer(names)).toString('latin1').slice('\r\n'.length);
}

const offsets = fc.array(fc.nat(), { maxLength: 12 });
const content = fc
  .array(fc.constantFrom('\r\n', '\r', '--fixture', '--', 'PK\xff', PLAIN, `; filename*=utf-8''%zz`), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

describe('The names in a form', () => {
  it('lose an extended value that cannot be decoded, before and after the plain one, in any letter case', async () => {
    for (const value of BROKEN_VALUES) {
      const behind = `${PLAIN}; filename*=${value}`;
      const before = PLAIN.replace('; filename', `;FileName*=${value}; filename`);
      const folded = PLAIN.replace('; filename', `;\r\n filename*=${value}; filename`);
      for (const disposition of [behind, before, folded])
        expect(await passOn(form(disposition)), disposition).to.equal(form(PLAIN));
    }
  });

  it('keep every other value', async () => {
    for (const rest of [
      "; filename*=utf-8''%e6%97%a5.zip",
      "; filename*=UTF-8'ja'a.zip ; size=3",
      "; filename*=utf-8''",
      "; filename*=iso-8859-1''%e9.zip",
      '; note="; filename*=%zz"',
      '; note="\\"; filename*=%zz',
      '; filename=a b.zip',
      '; filename*',
    ])
      expect(await passOn(form(PLAIN + rest)), rest).to.equal(form(PLAIN + rest));
  });

  it('are rewritten in UTF-8 if their extended value has a charset that the parser cannot decode', async () => {
    for (const [value, written] of [
      ["Shift_JIS'ja'%93%fa%96%7B.zip", '%E6%97%A5%E6%9C%AC.zip'],
      ["ISO-8859-15''a%a4.zip ", 'a%E2%82%AC.zip'],
      ["windows-1252''%80.zip", '%E2%82%AC.zip'],
      ["utf-16be''%00a%00%28", 'a%28'],
      ["koi8-r''%27%2a%29%ff", '%27%2A%29%D0%AA'],
      ["euc-jp''%ff", '%EF%BF%BD'],
    ] as const)
      expect(await passOn(form(`${PLAIN}; filename*=${value}`)), value).to.equal(
        form(`${PLAIN}; filename*=UTF-8''${written}`),
      );
  });

  it('are read up to the first file, which has a name that is not empty', async () => {
    for (const empty of [
      '""',
      '',
      '"" ',
      '"";\r\n note=b',
      "; filename*=utf-8''",
      "; filename*=utf-8'en' ; size=1",
    ]) {
      const text = `x\r\n--fixture\r\nContent-Disposition: form-data; name="title"; filename=${empty}\r\nContent-Type: text/html\r\n\r\n`;
      const names = new DecodableNames(TYPE);
      const broken = form(`${PLAIN}; filename*=none''a`, 'PK', text);
      names.end(Buffer.from(broken, 'latin1'));
      expect((await buffer(names)).toString('latin1').slice('\r\n'.length), empty).to.equal(
        form(PLAIN, 'PK', text),
      );
      expect(names.fileType, empty).to.equal('application/zip');
    }
  });

  it('lose the extended values after the tenth, whose charsets take long to look up', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => `; a${n}*=utf-8''${n}`).join('');
    expect(await passOn(form(`${PLAIN}${ten}; b*=utf-8''b; size=3`))).to.equal(
      form(`${PLAIN}${ten}; size=3`),
    );
  });

  it('lose nothing else, for any split of the bytes, and any archive and texts', async () => {
    const check = fc.asyncProperty(content, content, offsets, async (bytes, text, cuts) => {
      fc.pre(!`\r\n${text}\r\n`.includes('\r\n--fixture\r\n'));
      const broken = form(`${PLAIN}; filename*=utf-8''%zz`, bytes, text);
      expect(await passOn(broken, cuts)).to.equal(form(PLAIN, bytes, text));
    });
    await fc.assert(check, { numRuns: 300 });
  });

  it('are unchanged without a boundary, or if a head is longer than the parser reads', async () => {
    const broken = form(`${PLAIN}; filename*=%zz`);
    const long = form(`X: ${'x'.repeat(20_000)}\r\n${PLAIN}; filename*=%zz`);
    expect(await passOn(broken, [], 'multipart/form-data')).to.equal(broken);
    expect(await passOn(long, [18_000])).to.equal(long);
    expect(await passOn(broken, [], 'multipart/form-data; boundary="fixture"')).to.equal(form(PLAIN));
  });

  it('show whether the parser skips a part of form-data, before or after the file, in one chunk or several', async () => {
    const skipped = [
      'form-data; name="title',
      'form-data; name="title";',
      'form-data; name="title" x',
      'form-data; name = "title"',
      'form-data; name=',
      'form-data name="title"',
      'form-data; name="title"; x',
      'form-data;\r\n name="title";',
      `form-data; name="title"; filename*=utf-8''`,
      `form-data; filename*=utf-8'en' ; name="title"`,
    ];
    const read = [
      'form-data',
      'form-data; name=title',
      'Form-Data ; Name="a;\\" b=" ; x=y ',
      'form-data; name="title"; filename*=utf-8\'en\'a',
      'form-data;\r\n\tname="title"',
      'form-datax; name="title',
      'attachment; name="title',
      'attachment; name="content-disposition: form-data;"',
      '',
    ];
    for (const line of [...skipped, ...read]) {
      const part = `--fixture\r\nX: y\r\nContent-Disposition: ${line}\r\n\r\nx\r\n`;
      const title = form(PLAIN, 'PK'.repeat(200_000));
      for (const body of [part + title, title.replace('--fixture--', `${part}--fixture--`)])
        for (const size of [1_000_000, 50_000]) {
          const names = new DecodableNames(TYPE);
          for (let at = 0; at < body.length; at += size)
            names.write(Buffer.from(body.slice(at, at + size), 'latin1'));
          names.end();
          await buffer(names);
          expect(names.skipsPart, `${line} ${size}`).to.equal(skipped.includes(line));
        }
    }
  });

  it('do not delay the bytes before them', async () => {
    const names = new DecodableNames(TYPE);
    names.write(form(PLAIN).slice(0, -'-\r\n'.length));
    expect(String(names.read())).to.equal(`\r\n${form(PLAIN).slice(0, -'-\r\n'.length)}`);
  });
});
