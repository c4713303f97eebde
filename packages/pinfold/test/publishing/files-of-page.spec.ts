import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { findPageFiles } from '../../src/publishing/files-of-page.ts';
import { newFolder } from '../servers/new-folder.ts';

describe('the files that a page shows', () => {
  let folder: string;

  beforeEach(() => {
    folder = newFolder();
  });

  /** Writes files beside the page, each with its own name as its text unless it has another. */
  async function writeFiles(...files: readonly (string | readonly [string, string])[]): Promise<void> {
    for (const file of files) {
      const [path, text] = typeof file === 'string' ? [file, file] : file;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }

  async function findFiles(page: string): Promise<readonly string[]> {
    const files = await findPageFiles(join(folder, 'report.html'), new TextEncoder().encode(page));
    return [...files.keys()].sort();
  }

  it('are its existing images, styles and scripts, without linked pages', async () => {
    await writeFiles('chart.png', 'js/app.js', 'a b.svg', 'other.html', 'unused.png', ['style.css', '']);
    const page =
      '<link rel="stylesheet" href="style.css"><img src="./chart.png?v=1#top"><script src="js/app.js"></script>' +
      '<img src="a%20b.svg"><img src="missing.png"><a href="other.html">x</a>';
    expect(await findFiles(page)).to.deep.equal(['a b.svg', 'chart.png', 'js/app.js', 'style.css']);
  });

  it('include files that its style sheets name, relative to them', async () => {
    await writeFiles(
      [
        'css/style.css',
        '@import "more.css"; body { background: url(../img/back.png) } @font-face { src: url("f.woff2") }',
      ],
      ['css/more.css', "p { background: url( 'dot.png' ) } @import 'style.css';"],
      'img/back.png',
      'css/f.woff2',
      'css/dot.png',
      'back.png',
    );
    expect(await findFiles('<link rel="stylesheet" href="css/style.css">')).to.deep.equal([
      'css/dot.png',
      'css/f.woff2',
      'css/more.css',
      'css/style.css',
      'img/back.png',
    ]);
  });

  it('are found relative to the base of the page, and not at all if that is on another site', async () => {
    await writeFiles('assets/a.png', 'a.png', 'assets/b.png', 'b.png');
    const images = '<img src="a.png"><img src="../b.png"><img src="https://example.com/assets/b.png">';
    for (const base of ['assets/', './assets/page.html', 'assets\\?x=/y/', '%61ssets/#x/y'])
      expect(await findFiles(`<base href="${base}">${images}`), base).to.deep.equal([
        'assets/a.png',
        'b.png',
      ]);
    for (const base of ['https://example.com/', '/assets/', '//assets/', 'caf&eacute;/'])
      expect(await findFiles(`<base href="${base}">${images}`), base).to.deep.equal([]);
    expect(await findFiles(`<base href="#assets/">${images}`)).to.deep.equal(['a.png']);
  });

  it('are found in linear time for any style sheet', async () => {
    const hostile = ['url(', 'url( ', 'url("', "url('", ' ', '@import ', 'url(a)', 'url(a '];
    for (const text of hostile) {
      await writeFile(join(folder, 'a.css'), `url(${text.repeat(2_000_000 / text.length)}`);
      expect(await findFiles('<link rel="stylesheet" href="a.css">')).to.deep.equal(['a.css']);
    }
  });

  it('are found even if there are more names than a call can have arguments', async () => {
    await writeFiles('last.png');
    const names = Array.from({ length: 200_000 }, (_, n) => `url(#${n})`).join('');
    await writeFile(join(folder, 'a.css'), `${names}url(last.png)`);
    expect(await findFiles('<link rel="stylesheet" href="a.css">')).to.deep.equal(['a.css', 'last.png']);
  });

  it('are never outside its folder, and never forbidden in a site', async () => {
    const inside = join(folder, 'inside');
    await writeFiles('secret.png', 'inside/.env', 'inside/.git/x.png', 'inside/folder/x.png');
    await symlink(join(folder, 'secret.png'), join(inside, 'link.png'));
    await symlink(folder, join(inside, 'parent'));
    const references = [
      '../secret.png',
      'folder/../../secret.png',
      '..%2fsecret.png',
      '%2e%2e/secret.png',
      '..\\secret.png',
      'link.png',
      'parent/secret.png',
      '.env',
      '.git/x.png',
      'folder',
      '%00',
      '%',
      '/etc/passwd',
      '//host/x.png',
      'file:///etc/passwd',
      'https://host/x.png',
      'data:image/png;base64,',
      join(folder, 'secret.png'),
    ];
    const page = references.map((reference) => `<img src="${reference}">`).join('');
    const files = await findPageFiles(join(inside, 'report.html'), new TextEncoder().encode(page));
    expect([...files.keys()]).to.deep.equal([]);
  });
});
