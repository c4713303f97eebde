import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NameEncoding } from '@pinfold/core';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { useInspector } from './inspection.ts';

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
