import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NameEncoding } from '@pinfold/core';
import { type PlannedEntry, writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { useInspector } from './inspection.ts';

const JAPANESE = ['index.html', '予定表/九月.html', '写真/能.svg'];
const GERMAN = ['Frühstück.html', 'Grüße/Straße.html', 'index.html'];

/** Files of `fixtures`, and the encoding that must be guessed. */
const TOOLS: readonly (readonly [file: string, paths: readonly string[], guessed?: string])[] = [
  ['ant-shift-jis-field.zip', JAPANESE],
  ['ant-shift-jis.zip', JAPANESE, 'CP932'],
  ['ant-cp850-escapes.zip', JAPANESE],
  ['ant-windows-1252-field.zip', GERMAN],
  ['7-zip-local-names.zip', JAPANESE],
  ['info-zip-cp932.zip', JAPANESE, 'CP932'],
  ['bsdtar-cp932.zip', JAPANESE, 'CP932'],
];

/** Sites as Explorer zips them: made on MS-DOS, no flag, DOS attributes. The names are bytes of each country's code page. */
const EXPLORER: readonly (readonly [
  country: string,
  names: Readonly<Record<string, string>>,
  guessed: string,
])[] = [
  ['Japan', { '機能.html': '8b40945c2e68746d6c', '貼付/ソ.css': '935c95742f835c2e637373' }, 'CP932'],
  [
    'China',
    { '关于我们.html': 'b9d8d3daced2c3c72e68746d6c', '图片/a.svg': 'cdbcc6ac2f612e737667' },
    'GB18030',
  ],
  ['Taiwan', { '功能.html': 'a55cafe02e68746d6c', '關於/許.css': 'c3f6a9f32fb35c2e637373' }, 'Big5'],
  ['Korea', { '소개.html': 'bcd2b0b32e68746d6c', '똠/펲.css': '8c632fbc842e637373' }, 'CP949'],
  ['Russia', { 'О нас.html': '8e20ada0e12e68746d6c', 'фото/ёж.svg': 'e4aee2ae2ff1a62e737667' }, 'CP866'],
];

describe('names outside ASCII without a mark, as other tools write them', () => {
  const inspect = useInspector();

  for (const [file, expected, guessed] of TOOLS) {
    it(`are read: ${file}`, async () => {
      const { problems, files, listing, proof } = await inspect(
        readFileSync(join(import.meta.dirname, 'fixtures', file)),
      );
      expect(problems).to.deep.equal([]);
      expect(files.map(({ path }) => path)).to.have.members([...expected]);
      expect(listing.guessed?.encoding).to.equal(guessed);
      expect(proof.entries.flatMap(({ references }) => references)).to.deep.equal([]);
    });
  }

  for (const [country, names, guessed] of EXPLORER) {
    it(`are read: Explorer in ${country}`, async () => {
      const links = Object.keys(names).map((name) => `<a href="${name}">`);
      const explorer = { both: { flags: 0 }, central: { host: 0, externalAttributes: 0x20 } };
      const entries: PlannedEntry[] = [
        { name: 'index.html', content: `<meta charset="utf-8">${links.join('')}`, ...explorer },
        ...Object.values(names).map((name) => ({
          name: Buffer.from(name, 'hex'),
          content: 'x',
          ...explorer,
        })),
      ];
      const { problems, files, listing } = await inspect(writeZip({ entries }));
      expect(problems).to.deep.equal([]);
      expect(files.map(({ path }) => path)).to.deep.equal(['index.html', ...Object.keys(names)]);
      expect(listing.guessed).to.deep.equal({ encoding: guessed, first: 1, whole: true });
    });
  }
});

interface Places {
  /** One name in each line. */
  readonly names: string;
  /** The same, as glibc's iconv encodes them; in Base64. */
  readonly bytes: string;
}

/** 200 names of countries and their parts for each encoding: from Debian's iso-codes 4.15, in languages that use it. */
const PLACES: Readonly<Record<NameEncoding, Places>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/place-names.json'), 'utf8'),
);

describe('names of places in 200 countries', () => {
  const inspect = useInspector();

  /** The paths of a site whose start page links to two pages, to one of them percent-encoded. */
  async function pathsOf(names: readonly string[], raw: readonly Buffer[]): Promise<readonly string[]> {
    const links = names.map((name, at) => `<a href="${at === 0 ? name : encodeURIComponent(name)}.html">`);
    const pages = raw.map((name) => ({
      name: Buffer.concat([name, Buffer.from('.html')]),
      content: '<p>Here',
      both: { flags: 0 },
    }));
    const entries = [{ name: 'index.html', content: `<title>Places</title>${links.join('')}` }, ...pages];
    const { problems, files } = await inspect(writeZip({ entries }));
    expect(problems).to.deep.equal([]);
    return files.map(({ path }) => path);
  }

  for (const [encoding, { names: text, bytes }] of Object.entries(PLACES)) {
    it(`are read from names of files in ${encoding}`, async () => {
      const names = text.split('\n');
      const raw = linesOf(Buffer.from(bytes, 'base64'));
      expect([names.length, raw.length]).to.deep.equal([200, 200]);
      for (let at = 0; at < names.length; at += 2) {
        const pair = names.slice(at, at + 2);
        const paths = await pathsOf(pair, raw.slice(at, at + 2));
        expect(paths).to.deep.equal(['index.html', ...pair.map((name) => `${name}.html`)]);
      }
    });
  }
});

function linesOf(bytes: Buffer): readonly Buffer[] {
  const latin1 = bytes.toString('latin1');
  return latin1.split('\n').map((line) => Buffer.from(line, 'latin1'));
}
