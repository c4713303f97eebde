import { days, defaultLimits, hours, minutes } from '@pinfold/core';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { packWelcomeSite } from '../../src/start/welcome-site.ts';

describe('the welcome site', () => {
  let files: Readonly<Record<string, Uint8Array>>;

  before(async () => {
    files = unzipSync(await packWelcomeSite(defaultLimits));
  });

  const pages = { en: 'index.html', ja: 'ja/index.html' } as const;

  function read(path: string): string {
    const file = files[path];
    if (file === undefined) throw new Error(`there is no ${path}`);
    return strFromU8(file);
  }

  it('is packed into the same bytes each time', async () => {
    expect(await packWelcomeSite(defaultLimits)).to.deep.equal(await packWelcomeSite(defaultLimits));
  });

  for (const [language, page] of Object.entries(pages)) {
    it(`exists in ${language}, and declares the language`, () => {
      expect(read(page)).to.include(`<html lang="${language}">`);
    });

    it(`refers in ${page} only to its own files, relatively`, () => {
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

  it('has the same content in both languages', () => {
    const outline = (page: string): readonly string[] =>
      [...read(page).matchAll(/<(h[1-3]|dt|dd|li|tr|pre|section)\b/g)].map(([, name]) => name ?? '');
    expect(outline(pages.ja)).to.deep.equal(outline(pages.en));
  });

  it('states how long publications live on this server', async () => {
    const lifetimesOf = async (lifetime = defaultLimits.lifetime, renewal = defaultLimits.renewal) => {
      const unpacked = unzipSync(await packWelcomeSite({ lifetime, renewal }));
      const text = (page: string) => strFromU8(unpacked[page] ?? new Uint8Array());
      return [
        /lives for (.*?)\. Renew it for (.*?) more/.exec(text(pages.en))?.slice(1),
        /公開期間は (.*?)です。さらに (.*?)延ばす/.exec(text(pages.ja))?.slice(1),
      ].map((found) => found?.map((words) => words.replaceAll(/\s/g, ' ')));
    };
    expect(await lifetimesOf()).to.deep.equal([
      ['7 days', '7 days'],
      ['7 日', '7 日'],
    ]);
    expect(await lifetimesOf(days(1), hours(12))).to.deep.equal([
      ['1 day', '12 hours'],
      ['1 日', '12 時間'],
    ]);
    expect(await lifetimesOf(hours(36), minutes(1))).to.deep.equal([
      ['1.5 days', '1 minute'],
      ['1.5 日', '1 分'],
    ]);
  });

  it('is small', async () => {
    expect((await packWelcomeSite(defaultLimits)).byteLength).to.be.below(20_000);
  });
});
