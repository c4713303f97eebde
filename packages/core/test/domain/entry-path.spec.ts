import { expect } from 'chai';
import fc from 'fast-check';
import { entryPath, forbiddenSegment, unsafePath } from '../../src/domain/entry-path.ts';

describe('unsafePath', () => {
  for (const path of [
    'index.html',
    'a/b/c.css',
    '.well-known/x',
    'a/..b',
    'a...',
    'é/日本.html',
    'a b',
    'a/b/',
  ]) {
    it(`passes ${JSON.stringify(path)}`, () => {
      expect(unsafePath(path)).to.equal(undefined);
    });
  }

  for (const [character, bytes] of [
    ['a', 1],
    ['é', 2],
    ['日', 3],
    ['🙂', 4],
  ] as const) {
    it(`passes 1,024 bytes and refuses 1,025, in characters of ${bytes}`, () => {
      const longest = character.repeat(Math.floor(1_024 / bytes)) + 'a'.repeat(1_024 % bytes);
      expect(unsafePath(longest)).to.equal(undefined);
      expect(unsafePath(`${longest}a`)).to.be.a('string');
    });
  }

  it('refuses a path with the reason why it is unsafe', () => {
    for (const [reason, ...paths] of [
      ['empty', ''],
      ['control_character', 'a\0', 'a\n', 'a\x7f', 'a\u009f', '/a:\0'],
      ['backslash', 'a\\b', 'c:\\a', '\\\\server\\a'],
      ['colon', 'a:b', 'c:a', 'C:/a', 'c:/a/../b'],
      ['absolute', '/', '/a', '//a', '/../a'],
      ['segment', 'a//b', '.', '..', '../a', 'a/../b', 'a/..', './a', 'a/.', 'a//'],
      ['too_long', 'a'.repeat(1_025), `/${'日'.repeat(342)}`],
    ] as const) {
      for (const path of paths) expect(unsafePath(path), path).to.equal(reason);
    }
  });

  it('agrees with a check of each segment', () => {
    const odd = fc.constantFrom('.', '..', '', 'a', 'b-c', '@', ' ', ':', '\\', '\0', 'é', '_');
    fc.assert(
      fc.property(odd, odd, odd, (a, b, c) => {
        const name = [a, b, c].join('/');
        const path = name.endsWith('/') ? name.slice(0, -1) : name;
        const safe = path.split('/').every((segment) => /^(?!\.{1,2}$)[^:\\\0/]+$/.test(segment));
        expect(unsafePath(name) === undefined).to.equal(safe);
      }),
    );
  });

  it('accepts only paths of files', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const safe = unsafePath(name) === undefined && !name.endsWith('/');
        expect(entryPath(name)).to.equal(safe ? name : undefined);
      }),
    );
    expect(entryPath('a')).to.equal('a');
    expect(entryPath('a/')).to.equal(undefined);
  });
});

describe('forbiddenSegment', () => {
  for (const marked of ['[.git]', 'a/[.git]/b', '[.ENV]', 'x/[Node_Modules]/', '[TMP]/log', 'a/[log]']) {
    it(`finds ${marked}, and shows it as it is written`, () => {
      const [, segment] = /\[(.*)\]/.exec(marked) ?? [];
      expect(forbiddenSegment(marked.replace(/[[\]]/g, ''))).to.equal(segment);
    });
  }

  for (const path of [
    '.gitignore',
    'git',
    '.env.local',
    'blog',
    'logs/a',
    'login',
    'template',
    'a.tmp',
    'node_modules2',
  ]) {
    it(`finds none in ${path}`, () => {
      expect(forbiddenSegment(path)).to.equal(undefined);
    });
  }
});
