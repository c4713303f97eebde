import { findFallback, foldPath } from '@pinfold/core/adapter';
import { resolve } from '@pinfold/core/internal';
import { textsNormalizedBy } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Destination, PageReferences } from '../../src/observe/page-references.ts';
import { SitePaths } from '../../src/observe.ts';

/** The target of a reference, found in the simplest way: by its whole path, and by each name under which a file is served. */
function followSimply(
  paths: readonly string[],
  page: string,
  target: string,
  navigation: boolean,
): Destination | undefined {
  const exact = new Map(paths.map((path) => [path.normalize('NFC'), path]));
  const folded = new Map(paths.map((path) => [foldPath(path), path]));
  const get = (path: string) => exact.get(path.normalize('NFC'));
  const getFolded = (path: string) => folded.get(foldPath(path));
  if (/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|#|\?|$)/i.test(target)) return undefined;
  const path = pathOf(page, target);
  if (path === undefined) return undefined;
  const answers = (wanted: boolean) =>
    ['file', 'folder', 'page'].includes(resolve({ get }, path, wanted).kind);
  const absolute = /^[\\/]/.test(target) || goesAbove(page, target);
  if (path.includes(ENCODED_SLASH)) {
    const answered = navigation && findFallback({ get }, path.slice(1), true).kind === 'file';
    return { absolute, answered, otherCase: undefined };
  }
  if (answers(false)) return { absolute, answered: true, otherCase: undefined };
  const other = resolve({ get: getFolded }, path, false);
  const otherCase =
    other.kind === 'file'
      ? other.entry
      : getFolded(other.kind === 'page' ? `${path.slice(1, -1)}.html` : `${path.slice(1)}/index.html`);
  return { absolute, answered: navigation && answers(true), otherCase };
}

/** The form that remains in a decoded path. */
const ENCODED_SLASH = '%2F';

/** RFC 3986, section 5.2.4. */
function pathOf(page: string, target: string): string | undefined {
  const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
  const folder = page.slice(0, page.lastIndexOf('/') + 1);
  const segments: string[] = [];
  const joined = (path.startsWith('/') ? path : `/${folder}${path}`).split('/').slice(1);
  for (const [index, segment] of joined.entries()) {
    if (segment === '..') segments.pop();
    if (segment !== '.' && segment !== '..') segments.push(segment);
    else if (index === joined.length - 1) segments.push('');
  }
  try {
    return decodeURIComponent(`/${segments.join('/')}`.replaceAll('%2F', '%252F'));
  } catch {
    return undefined;
  }
}

/** Whether the reference leads out of a site that is not at the root of its host. */
function goesAbove(page: string, target: string): boolean {
  const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
  let depth = page.split('/').length - 1;
  return path.split('/').some((segment) => {
    if (segment !== '.') depth += segment === '..' ? -1 : 1;
    return depth < 0;
  });
}

describe('following the references of a page', () => {
  const segment = fc.constantFrom(
    'a',
    'A',
    'b',
    'ß',
    'é',
    'e\u0301',
    'index.html',
    'INDEX.html',
    'a.html',
    'A.html',
  );
  const file = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
  const site = fc.uniqueArray(fc.oneof(file, fc.constantFrom('200.html', '404.html', 'index.html')), {
    minLength: 1,
    selector: foldPath,
  });
  const step = fc.oneof(
    segment,
    fc.constantFrom('..', '.', '', '%41', 'a%2Fb', '%zz', '%C3%A9', '?a/b', '#', 'x:y'),
  );
  const target = fc
    .tuple(fc.array(step, { maxLength: 6 }), fc.constantFrom('/', '\\'), fc.boolean())
    .map(([steps, slash, absolute]) => (absolute ? '/' : '') + steps.join(slash));

  it('follows references as the simplest way does, by their whole path', () => {
    fc.assert(
      fc.property(site, file, fc.array(fc.tuple(target, fc.boolean())), (paths, page, references) => {
        const resolver = new PageReferences(new SitePaths(paths), page);
        for (const [reference, navigation] of references) {
          const found = resolver.follow({ target: reference, navigation });
          expect(found, reference).to.deep.equal(followSimply(paths, page, reference, navigation));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds no file after an encoded slash, as the viewer finds none', () => {
    const files = ['index.html', 'img/a.png', 'img/deep/b.png'];
    const page = new PageReferences(new SitePaths(files), 'index.html');
    const broken = { absolute: false, answered: false, otherCase: undefined };
    for (const target of ['img%2Fa.png', 'img%2fdeep/b.png', 'IMG%2Fa.png', 'img/deep%2Fb.png']) {
      expect(page.follow({ target, navigation: false }), target).to.deep.equal(broken);
      expect(page.follow({ target, navigation: true }), target).to.deep.equal(broken);
    }
    expect(page.follow({ target: 'search/a%2Fb', navigation: true })).to.deep.include({ answered: true });
    expect(page.follow({ target: 'x%2Fy/../img/a.png', navigation: false })).to.include({ answered: true });
  });

  it('ignores names and folders with more combining marks in a row than any language has', async () => {
    const marks = '\u0315\u0301'.repeat(400);
    const page = new PageReferences(new SitePaths(['index.html', 'a/b.html']), 'a/b.html');
    const marked = new PageReferences(new SitePaths(['index.html']), `a${marks}/b.html`);
    const normalized = await textsNormalizedBy(() => {
      for (const target of [`a${marks}`, encodeURI(`x/a${marks}.png`), `a${marks}/x`, `../a${marks}/../x`]) {
        expect(page.follow({ target, navigation: false })?.otherCase, target).to.equal(undefined);
      }
      expect(page.follow({ target: `a${marks}/x`, navigation: false })).to.equal(undefined);
      for (const target of ['x', './x', 'y/x']) {
        expect(marked.follow({ target, navigation: false }), target).to.equal(undefined);
      }
      expect(marked.follow({ target: '/x', navigation: false })).to.include({ answered: false });
    });
    expect(normalized.filter((text) => text.includes(marks))).to.deep.equal([]);
  });

  it('resolves with a base, and follows nothing relative to a base on another site', () => {
    const page = new PageReferences(new SitePaths(['app/a.png', 'a.png', 'index.html']), 'docs/page.html');
    const found = (base: string, target: string) => page.below(base)?.follow({ target, navigation: false });
    for (const base of ['/app/', '/app/index.html', '../app/', '..\\app\\', '/x/../app/?q', '/%61pp/#x']) {
      expect(found(base, 'a.png'), base).to.deep.include({ answered: true, absolute: false });
      expect(found(base, 'b.png'), base).to.deep.include({ answered: false });
      expect(found(base, '/a.png'), base).to.deep.include({ answered: true, absolute: true });
    }
    for (const base of ['', '#x', '?x', './', '.']) {
      expect(found(base, '../a.png'), base).to.deep.include({ answered: true });
    }
    for (const base of [
      'https://example.com/',
      '//example.com/',
      'unknown:',
      '{{ base }}',
      '%zz/',
      'a%2Fb/',
    ]) {
      expect(found(base, 'a.png'), base).to.equal(undefined);
    }
  });

  it('finds the references that go above the root, and leave a site below a path', () => {
    const files = new SitePaths(['index.html', 'img/a.png', 'docs/page.html']);
    const follow = (page: string, target: string) =>
      new PageReferences(files, page).follow({ target, navigation: true })?.absolute;
    for (const target of ['../img/a.png', '..', 'img/../../', '..\\', '../a%2Fb'])
      expect(follow('index.html', target), target).to.equal(true);
    for (const target of ['../img/a.png', '..', 'x/../../index.html'])
      expect(follow('docs/page.html', target), target).to.equal(false);
    expect(follow('docs/page.html', '../../index.html')).to.equal(true);
  });

  it('reports a base itself only if it leads out of the site', () => {
    const page = new PageReferences(new SitePaths(['index.html']), 'index.html');
    const follow = (target: string) => page.follow({ target, navigation: false, isBase: true });
    for (const target of ['/app/', '../'])
      expect(follow(target), target).to.deep.equal({ absolute: true, answered: true, otherCase: undefined });
    for (const target of ['./', 'gone/', 'https://example.com/', '//example.com/', '']) {
      expect(follow(target), target).to.equal(undefined);
    }
  });

  it('finds no file for a path on the computer of the author, which other people cannot load', () => {
    const page = new PageReferences(new SitePaths(['index.html', 'a.png']), 'index.html');
    for (const target of ['file:///usr/share/a.js', 'FILE:a.png', 'C:\\site\\a.png', 'd:/site/a.png']) {
      for (const navigation of [false, true]) {
        expect(page.follow({ target, navigation }), target).to.deep.equal({
          absolute: false,
          answered: false,
          otherCase: undefined,
        });
      }
    }
    expect(page.follow({ target: 'tel:/1', navigation: true })).to.equal(undefined);
  });

  it('takes a folder name literally even if it looks percent-encoded', () => {
    const page = new PageReferences(new SitePaths(['100%/a.png', '%41/b.png']), '100%/index.html');
    expect(page.follow({ target: 'a.png', navigation: false })).to.deep.include({ answered: true });
    expect(page.follow({ target: '../%2541/b.png', navigation: false })).to.deep.include({ answered: true });
  });
});
