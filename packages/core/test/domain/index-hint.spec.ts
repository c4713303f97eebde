import { expect } from 'chai';
import { judgeListing } from '../../src/adapter.ts';
import { judgeInChunks } from '../../src/domain/archive-rules.ts';
import { indexHintInChunks } from '../../src/domain/index-hint.ts';
import { type ArchiveListing, defaultLimits, type IndexHint } from '../../src/index.ts';
import { indexHint } from '../../src/internal.ts';

const ROWS: readonly (readonly [paths: readonly string[], hint: IndexHint | undefined])[] = [
  // Nothing in it.
  [[], { kind: 'empty' }],
  [['site/', '.DS_Store', '__MACOSX/._site'], { kind: 'empty' }],
  // A folder with an index.html.
  [['conf.py', 'out/', 'out/index.html'], { kind: 'folder', path: 'out' }],
  [['docs/conf.py', 'docs/_build/html/index.html'], { kind: 'folder', path: 'docs/_build/html' }],
  [['a/b/c/index.html', 'x/y/index.html', 'z'], { kind: 'folder', path: 'x/y' }],
  [['src/index.html', 'dist/index.html'], { kind: 'folder', path: 'dist' }],
  [['web/app/index.html', 'web/.vitepress/dist/index.html', 'b'], { kind: 'folder', path: 'web/app' }],
  [['a/index.html', 'README.html'], { kind: 'folder', path: 'a' }],
  [['de/index.html', 'en/index.html', 'fr/index.html'], { kind: 'folders', path: 'de', other: 'en' }],
  // Another spelling.
  [['a.css', 'Index.html'], { kind: 'spelling', path: 'Index.html' }],
  [['index.htm', 'about.htm'], { kind: 'spelling', path: 'index.htm' }],
  [['site/', 'site/INDEX.HTM', 'site/a/index.html'], { kind: 'spelling', path: 'site/INDEX.HTM' }],
  [['a.css', 'old/Index.html'], { kind: 'spelling', path: 'old/Index.html', folder: 'old' }],
  // Another name.
  [['report.html', 'report_files/a.png', 'report_files/b/c.html'], { kind: 'page', path: 'report.html' }],
  [['site/', 'site/Start.HTM'], { kind: 'page', path: 'site/Start.HTM' }],
  [['LICENSE', 'docs/manual.html'], { kind: 'page', path: 'docs/manual.html' }],
  // Several pages with other names.
  [['a.html', 'b.html', 'c.html', 'c/d.html'], { kind: 'pages', path: 'a.html', other: 'b.html' }],
  [['site/', 'site/a.html', 'site/b.HTM'], { kind: 'pages', path: 'site/a.html', other: 'site/b.HTM' }],
  [['a.css', 'en/a.html', 'ja/a.html'], undefined],
  // An archive in an archive.
  [['dist.zip'], { kind: 'packed', path: 'dist.zip' }],
  [['github-pages/', 'github-pages/artifact.tar'], { kind: 'packed', path: 'github-pages/artifact.tar' }],
  [['dist.zip', 'notes.txt'], { kind: 'packed', path: 'dist.zip' }],
  [['dist.zip', 'report.html'], { kind: 'page', path: 'report.html' }],
  [['dist.zip', 'old.zip'], undefined],
  // A document.
  [['[Content_Types].xml', 'word/document.xml'], { kind: 'document' }],
  [['mimetype', 'META-INF/container.xml', 'OEBPS/a.xhtml'], { kind: 'document' }],
  [['mimetype', 'docs/META-INF/manifest.xml'], undefined],
  // No kind of hint fits.
  [['index.html/', 'index.html.bak', 'index.xhtml', 'index_html'], undefined],
];

function listingOf(...names: readonly string[]): ArchiveListing {
  const fields = { host: 3, externalAttributes: 0, flags: 0, method: 8, crc32: 0 };
  const entries = names.map((name) => ({ ...fields, name, compressedSize: 1, size: 1, dataOffset: 0 }));
  return { entries, problems: [], trusted: true };
}

describe('the hint for a site without index.html', () => {
  for (const [paths, hint] of ROWS) {
    it(`is ${hint === undefined ? 'nothing' : Object.values(hint).join(' ')} in ${paths.join(', ') || 'nothing'}`, () => {
      expect(indexHint(paths)).to.deep.equal(hint);
    });
  }

  it('never names a file that cannot be in a site', () => {
    for (const path of [
      'a\n/index.html',
      '../index.html',
      'node_modules/a/index.html',
      `${'x'.repeat(2_000)}.html`,
    ]) {
      expect(indexHint([path, 'b']), path.slice(0, 20)).to.equal(undefined);
    }
  });

  it('is found in as many files as an archive may list', () => {
    const paths = Array.from({ length: 200_000 }, (_, n) => `${n}/index.html`);
    expect(indexHint([...paths, 'b'])).to.deep.equal({ kind: 'folders', path: '0', other: '1' });
  });

  it('is looked for in steps, between which other work runs', () => {
    const pausesWith = (first: string): number => {
      const pages = Array.from({ length: 2_000 }, (_, n) => `${'a/'.repeat(450)}${n}.html`);
      const judging = judgeInChunks(listingOf(first, ...pages), defaultLimits);
      let pauses = 0;
      while (judging.next().done !== true) pauses += 1;
      return pauses;
    };
    expect(pausesWith('index.txt')).to.be.above(pausesWith('index.html') + 10);
  });

  it('is looked for in few of the packed files at a time', () => {
    const paths = Array.from({ length: 2_000 }, (_, n) => `${'a/'.repeat(450)}${n}.zip`);
    const steps = indexHintInChunks(paths);
    const { test } = RegExp.prototype;
    let [checks, most] = [0, 0];
    RegExp.prototype.test = function (text) {
      checks += 1;
      return test.call(this, text);
    };
    try {
      for (let isDone: boolean | undefined; isDone !== true; most = Math.max(most, checks)) {
        checks = 0;
        isDone = steps.next().done;
      }
    } finally {
      RegExp.prototype.test = test;
    }
    expect(most).to.be.within(1, 1_000);
  });

  it('comes with the broken rule', () => {
    const problemsOf = (name: string) => judgeListing(listingOf(name), defaultLimits).problems;
    const hint = { kind: 'spelling', path: 'a/Index.HTM' };
    expect(problemsOf('a/Index.HTM')).to.deep.equal([{ rule: 'missing_index', hint }]);
    expect(problemsOf('a.css')).to.deep.equal([{ rule: 'missing_index' }]);
  });
});
