import type { ArchiveListing } from '@pinfold/core';
import { createStagedArchives, type StagedArchives } from '@pinfold/test-contracts/fixtures';
import { type PlannedEntry, textsNormalizedBy, writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import iconv from 'iconv-lite';
import { memorySource } from '../src/archive-source.ts';
import { ZipArchiveInspector } from '../src/index.ts';
import { ProofControl } from '../src/jobs.ts';
import { listArchive } from '../src/list-archive.ts';

const MiB = 1_048_576;

/** A file whose name has an encoding that the archive does not state. */
function unmarked(name: string, encoding: string, content: string | Uint8Array = 'x'): PlannedEntry {
  return { name: iconv.encode(name, encoding), content, method: 0, both: { flags: 0 } };
}

describe('names in an unmarked encoding', () => {
  const inspector = new ZipArchiveInspector({ workers: 1 });
  let staged: StagedArchives;

  before(async () => {
    staged = await createStagedArchives();
  });
  after(async () => {
    await inspector.close();
    await staged.dispose();
  });

  async function list(page: string | Uint8Array, ...entries: PlannedEntry[]): Promise<ArchiveListing> {
    const bytes = writeZip({ entries: [{ name: 'index.html', content: page }, ...entries] });
    return await inspector.list(await staged.stage(bytes));
  }

  async function guess(page: string | Uint8Array, ...entries: PlannedEntry[]): Promise<readonly string[]> {
    const { entries: all, guessed } = await list(page, ...entries);
    return [guessed?.encoding ?? 'none', ...all.slice(1).map(({ name }) => name)];
  }

  it('are decoded with the help of links in the encoding of the page, raw or percent-encoded', async () => {
    const file = unmarked('ソース.txt', 'cp932');
    const sjis = (html: string) => iconv.encode(`<meta charset="Shift_JIS">${html}`, 'cp932');
    expect(await guess(sjis('<a href="ソース.txt">'), file)).to.deep.equal(['CP932', 'ソース.txt']);
    const korean = iconv.encode(
      '<meta http-equiv="Content-Type" content="text/html; charset=EUC-KR"><img src="그림.png">',
      'cp949',
    );
    expect(await guess(korean, unmarked('그림.png', 'cp949'))).to.deep.equal(['CP949', '그림.png']);
    // The page declares another encoding than that of the name.
    const russian = iconv.encode(
      '<meta charset="windows-1251"><a href="%EC%E8%F0.txt"><a href="мир.txt">',
      'cp1251',
    );
    expect(await guess(russian, unmarked('мир.txt', 'cp866'))).to.deep.equal(['CP866', 'мир.txt']);
  });

  it('are decoded with the help of links from a folder, to its parent, from the root, and to a folder', async () => {
    const page = {
      name: '资料/页面.html',
      links: '<a href="图.png"><a href="../附件/表.css"><a href="/附件/">',
    };
    const { entries, guessed } = await list(
      '<p>Hello',
      unmarked(page.name, 'gbk', page.links),
      unmarked('资料/图.png', 'gbk'),
      unmarked('附件/表.css', 'gbk'),
      unmarked('附件/index.html', 'gbk'),
    );
    expect(guessed).to.deep.equal({ encoding: 'GB18030', first: 1, whole: true });
    expect(entries[1]?.name).to.equal('资料/页面.html');
    const root = unmarked('站点/index.html', 'gbk', '<a href="/说明.html">');
    const bytes = writeZip({ entries: [root, unmarked('站点/说明.html', 'gbk')] });
    expect((await inspector.list(await staged.stage(bytes))).guessed?.encoding).to.equal('GB18030');
  });

  it('are decoded with the help of links that are relative to a base', async () => {
    const page = '<base href="資料/"><a href="表.html">';
    expect((await guess(page, unmarked('資料/表.html', 'cp950')))[0]).to.equal('Big5');
    expect((await guess(page, unmarked('表.html', 'cp950')))[0]).not.to.equal('Big5');
  });

  it('are decoded although thousands of links lead from a folder with the longest name', async () => {
    const links = Array.from({ length: 2_000 }, (_, n) => `<a href="é${n}">`).join('');
    const folder = 'a'.repeat(65_000);
    const pages = Array.from({ length: 4 }, (_, n) => ({ name: `${folder}/${n}.html`, content: links }));
    const { guessed } = await list('<p>Hello', ...pages, unmarked('é', 'cp850'));
    expect(guessed).to.deep.include({ first: 5, whole: true });
  });

  it('are decoded without normalizing links that take quadratic time', async () => {
    const links = ['\u0300\u0316'.repeat(1_000), 'é'].map((path) => `<a href="${path}">`).join('');
    const entries = [{ name: 'index.html', content: links }, unmarked('é', 'cp850')];
    const texts = await textsNormalizedBy(async () => {
      const archive = memorySource(writeZip({ entries }));
      const { guessed } = await listArchive(archive, 10, new ProofControl());
      expect(guessed?.encoding).to.equal('CP850');
    });
    expect(Math.max(...texts.map(({ length }) => length))).to.be.within(1, 100);
  });

  it('are decoded as most links suggest, not as the first does', async () => {
    const files = [unmarked('Сад.txt', 'cp1251'), unmarked('Луг.txt', 'cp1251')];
    const inCp866 = iconv.decode(iconv.encode('Сад', 'cp1251'), 'cp866');
    const page = (...links: string[]) => links.map((link) => `<a href="${link}.txt">`).join('');
    expect((await guess(page(inCp866, 'Сад', 'Луг'), ...files))[0]).to.equal('windows-1251');
    expect((await guess(page(inCp866, 'Сад'), ...files))[0]).to.equal('windows-1251');
    expect((await guess(page(inCp866), ...files))[0]).to.equal('CP866');
  });

  it('are decoded only with the help of `href` and `src`, whatever else refers to files', async () => {
    const files = [unmarked('Сад.txt', 'cp1251'), unmarked('Луг.txt', 'cp1251')];
    const inCp866 = iconv.decode(iconv.encode('Сад', 'cp1251'), 'cp866');
    const others = [
      '<img srcset="Сад.txt, Луг.txt 2x">',
      '<link rel="preload" imagesrcset="Сад.txt, Луг.txt 2x">',
      '<video poster="Сад.txt"></video><object data="Луг.txt"></object>',
      '<form action="Сад.txt"><button formaction="Луг.txt"></form>',
      '<p style="background: url(Сад.txt), url(Луг.txt)">',
      '<style>@import "Сад.txt"; p { background: url(Луг.txt) }</style>',
      '<script type="module">import "./Сад.txt"; import "./Луг.txt";</script>',
      '<meta http-equiv="refresh" content="0; url=Сад.txt"><meta http-equiv="refresh" content="0; url=Луг.txt">',
    ];
    for (const other of others) {
      expect((await guess(`${other}<a href="${inCp866}.txt">`, ...files))[0], other).to.equal('CP866');
      expect((await guess(`${other}<img src="Сад.txt">`, ...files))[0], other).to.equal('windows-1251');
    }
    const inSvg = '<svg><use href="Сад.txt"/><image xlink:href="Луг.txt"/></svg>';
    expect((await guess(`${inSvg}<a href="${inCp866}.txt">`, ...files))[0]).to.equal('windows-1251');
  });

  it('are decoded in the encoding or language of the first page if no link decides', async () => {
    const file = unmarked('读者.txt', 'gbk');
    expect((await guess('<html lang="zh-CN"><p>', file))[0]).to.equal('GB18030');
    expect((await guess('<html lang=zh><meta charset=big5>', file))[0]).to.equal('Big5');
    expect((await guess('<a href="b.html">', unmarked('读者.html', 'gbk', '<html lang="ja">')))[0]).to.equal(
      'CP437',
    );
    // A link in ASCII is found in every encoding.
    expect((await guess('<a href="a.txt">', file, { name: 'a.txt' }))[0]).to.equal('CP437');
    // And so is a link to a file whose name is marked as UTF-8.
    expect((await guess('<a href="é.txt">', unmarked('ü.txt', 'cp437'), { name: 'é.txt' }))[0]).to.equal(
      'CP437',
    );
  });

  it('are never decoded to a broken, private or unassigned character', async () => {
    const name = (hex: string): PlannedEntry => ({ name: Buffer.from(hex, 'hex'), both: { flags: 0 } });
    const hint = (charset: string) => `<meta charset="${charset}">`;
    expect((await guess(hint('shift_jis'), name('8940')))[0]).to.equal('CP932');
    expect((await guess(hint('shift_jis'), name('8940'), name('89')))[0]).to.equal('CP437');
    // A private character, and a byte that is not a character.
    expect((await guess(hint('shift_jis'), name('f040')))[0]).to.equal('CP437');
    expect((await guess(hint('shift_jis'), name('a0')))[0]).to.equal('CP437');
    expect((await guess(hint('gbk'), name('aaa1')))[0]).to.equal('CP437');
    // U+0378 in four bytes, and a control character.
    expect((await guess(hint('gb18030'), name('8130c836')))[0]).to.equal('CP437');
    expect((await guess(hint('gb18030'), name('81308130')))[0]).to.equal('CP437');
    expect((await guess(hint('windows-1252'), name('81')))[0]).to.equal('CP437');
    expect((await guess(hint('windows-1252'), name('80')))[0]).to.equal('windows-1252');
    // The icon file of a folder in macOS makes no difference.
    expect(
      (await guess(hint('shift_jis'), name(`8940${Buffer.from('/Icon\r').toString('hex')}`)))[0],
    ).to.equal('CP932');
  });

  it('are decoded with the help of pages of up to 4 MiB', async () => {
    const file = unmarked('그림.png', 'cp949');
    const page = (size: number) => {
      const link = '<a href="그림.png">';
      return `${link}${' '.repeat(size - Buffer.byteLength(link))}`;
    };
    expect((await guess(page(4 * MiB), file))[0]).to.equal('CP949');
    expect((await guess(page(4 * MiB + 1), file))[0]).to.equal('CP437');
  });

  it('are decoded with bounded work, which suffices for ordinary pages', async () => {
    const links = Array.from({ length: 100 }, (_, n) => `<a href="頁面${n}.html">`).join('');
    const pages = Array.from({ length: 500 }, (_, n) => unmarked(`頁面${n}.html`, 'cp932', links));
    expect((await list(links, ...pages)).guessed).to.deep.equal({
      encoding: 'CP932',
      first: 1,
      whole: true,
    });
    const many = Array.from({ length: 10_000 }, (_, n) => unmarked(`頁面${n}.html`, 'cp932'));
    const all = Array.from({ length: 10_000 }, (_, n) => `<a href="頁面${n}.html">`).join('');
    expect((await list(all, ...many)).guessed).to.deep.equal({ encoding: 'CP932', first: 1, whole: false });
  });
});
