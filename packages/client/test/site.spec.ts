import { findBuildFolder, titleOf } from '@pinfold/client/zip';
import { expect } from 'chai';

const title = (page: string): string | undefined => titleOf(new TextEncoder().encode(page));

describe('findBuildFolder', () => {
  const buildFolderOf = (...files: readonly string[]): string | undefined =>
    findBuildFolder((path) => files.includes(path));

  for (const folder of ['dist', 'build', 'out', '_site', '.vitepress/dist', 'public']) {
    it(`finds ${folder} beside a package.json`, () => {
      expect(buildFolderOf('package.json', 'index.html', `${folder}/index.html`)).to.equal(folder);
      expect(buildFolderOf('package.json', 'index.html', `${folder}/main.js`)).to.equal(undefined);
      expect(buildFolderOf('index.html', `${folder}/index.html`)).to.equal(undefined);
    });
  }

  it('prefers the output of a bundler to the templates in public', () => {
    expect(buildFolderOf('package.json', 'public/index.html', 'build/index.html')).to.equal('build');
  });
});

describe('titleOf', () => {
  for (const [page, expected] of [
    ['<!doctype html><html><head><title>Tea</title>', 'Tea'],
    ['<TITLE class="x">\n  Two\t lines\n</TITLE >', 'Two lines'],
    [
      '<title>a &amp; b &lt;c&gt; &#x65E5;&#26412; &mdash;&nbsp;&unknown;</title>',
      'a & b <c> 日本 — &unknown;',
    ],
    ['<!-- <title>comment</title> --><title>page</title>', 'page'],
    ['<svg><title>picture</title></svg><title>page</title>', 'page'],
    ['<script>"<title>script</title>"</script><style>x</style><title>page</title>', 'page'],
    ['<title>a\u0000b\u001B[31m&#7;&#xD800;&#xFFFD;</title>', 'a b [31m'],
    [`<title>${'語'.repeat(300)}</title>`, '語'.repeat(255)],
    ['<titles>no</titles>', undefined],
    ['<title> </title>', undefined],
    ['<title>not closed', undefined],
    ['<p>text<title </title', undefined],
    ['<!-- not closed <title>x</title>', undefined],
    ['<p>none', undefined],
    [`${' '.repeat(70_000)}<title>late</title>`, undefined],
  ] as const) {
    it(`of ${JSON.stringify(page.slice(0, 60).trim())} is ${JSON.stringify(expected?.slice(0, 60))}`, () =>
      expect(title(page)).to.equal(expected));
  }

  it('reads the encoding that the page declares, and a page that is cut within a character', () => {
    const shiftJis = [0x93, 0xfa, 0x96, 0x7b];
    const bytes = [
      ...Buffer.from('<meta charset="shift_jis"><title>'),
      ...shiftJis,
      ...Buffer.from('</title>'),
    ];
    expect(titleOf(Uint8Array.from(bytes))).to.equal('日本');
    expect(titleOf(Uint8Array.of(0xff, 0xfe, ...Buffer.from('<title>x</title>', 'utf16le')))).to.equal('x');
    expect(titleOf(Uint8Array.of(...Buffer.from('<title>x</title>é').subarray(0, -1)))).to.equal('x');
    const unknown = [...Buffer.from('<meta charset="none"><title>'), 0xff, ...Buffer.from('</title>')];
    expect(titleOf(Uint8Array.from(unknown))).to.equal(undefined);
  });
});
