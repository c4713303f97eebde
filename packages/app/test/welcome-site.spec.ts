import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { packWelcomeSite } from '../src/welcome-site.ts';

describe('the welcome site', () => {
  let files: Readonly<Record<string, Uint8Array>>;

  before(async () => {
    files = unzipSync(await packWelcomeSite());
  });

  const pages = { en: 'index.html', ja: 'ja/index.html' } as const;

  function read(path: string): string {
    const file = files[path];
    if (file === undefined) throw new Error(`there is no ${path}`);
    return strFromU8(file);
  }

  it('is packed the same each time', async () => {
    expect(await packWelcomeSite()).to.deep.equal(await packWelcomeSite());
  });

  for (const [language, page] of Object.entries(pages)) {
    it(`is there in ${language}, and says so`, () => {
      expect(read(page)).to.include(`<html lang="${language}">`);
    });

    it(`refers in ${page} to files of its own alone, relatively`, () => {
      const references = [...read(page).matchAll(/(?:href|src)="([^"#]+)"/g)].map(
        ([, target]) => target ?? '',
      );
      expect(references).not.to.deep.equal([]);
      for (const target of references) {
        expect(target).not.to.match(/^(?:\/|[a-z]+:)/);
        const { pathname } = new URL(target, `http://site.test/${page}`);
        expect(Object.keys(files)).to.include(pathname.slice(1));
      }
    });
  }

  it('says the same in both languages', () => {
    const outline = (page: string): readonly string[] =>
      [...read(page).matchAll(/<(h[1-3]|dt|dd|li|tr|pre|section)\b/g)].map(([, name]) => name ?? '');
    expect(outline(pages.ja)).to.deep.equal(outline(pages.en));
  });

  it('is light', async () => {
    expect((await packWelcomeSite()).byteLength).to.be.below(20_000);
  });
});
