import { expect } from 'chai';
import fc from 'fast-check';
import { judgeInChunks } from '../../src/domain/archive-rules.ts';
import {
  entryPath,
  forbiddenSegment,
  isAppleDouble,
  isSystemEntry,
  kindOfEntry,
  mayBeAppleDouble,
  normalizeNames,
  unsafePath,
} from '../../src/domain/entry-path.ts';
import { defaultLimits, type ListedEntry } from '../../src/index.ts';

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

const from = (host: number, ...names: string[]): { name: string; host: number }[] =>
  names.map((name) => ({ name, host }));

describe('normalizeNames', () => {
  it('reads \\ as / if no name has a / and every host is MS-DOS, NTFS or VFAT', () => {
    for (const host of [0, 10, 11]) {
      expect(normalizeNames(from(host, 'index.html', 'a\\b\\c'))).to.deep.equal(['index.html', 'a/b/c']);
    }
    expect(normalizeNames([...from(0, 'a\\b'), ...from(10, 'c\\d')])).to.deep.equal(['a/b', 'c/d']);
  });

  it('does not change \\ if a name has a /, or a host is another one', () => {
    expect(normalizeNames(from(0, 'a\\b', 'c/d'))).to.deep.equal(['a\\b', 'c/d']);
    expect(normalizeNames([...from(0, 'a\\b'), ...from(3, 'c')])).to.deep.equal(['a\\b', 'c']);
    expect(normalizeNames(from(3, 'a\\b'))).to.deep.equal(['a\\b']);
  });

  it('removes ./ if every name begins with it, and ignores an entry ./', () => {
    expect(normalizeNames(from(3, './', './a', './b/c'))).to.deep.equal([undefined, 'a', 'b/c']);
  });

  it('removes ./ once, and not if a name has none', () => {
    expect(normalizeNames(from(3, '././a'))).to.deep.equal(['./a']);
    expect(normalizeNames(from(3, './a', 'b'))).to.deep.equal(['./a', 'b']);
    expect(normalizeNames(from(3, './/a'))).to.deep.equal(['/a']);
  });

  it('returns no names for an empty archive', () => {
    expect(normalizeNames([])).to.deep.equal([]);
  });

  it('replaces the \\ of a few names in each step when an archive is judged', () => {
    const replaceAll = Object.getOwnPropertyDescriptor(String.prototype, 'replaceAll') as PropertyDescriptor;
    let replaced = 0;
    const value = function counted(this: string, ...args: unknown[]): unknown {
      replaced += 1;
      return Reflect.apply(replaceAll.value, this, args);
    };
    Object.defineProperty(String.prototype, 'replaceAll', { ...replaceAll, value });
    try {
      const names = Array.from({ length: 400 }, (_, n) => `${'a\\'.repeat(500)}${n}`);
      judgeInChunks(
        { entries: from(0, ...names) as ListedEntry[], problems: [], trusted: true },
        defaultLimits,
      ).next();
    } finally {
      Object.defineProperty(String.prototype, 'replaceAll', replaceAll);
    }
    expect(replaced).to.be.within(1, 200);
  });
});

const unix = (mode: number): { host: number; externalAttributes: number } => ({
  host: 3,
  externalAttributes: (mode << 16) >>> 0,
});

describe('kindOfEntry', () => {
  it('recognizes files and folders of Unix', () => {
    expect(kindOfEntry('a', unix(0o100644))).to.equal('file_or_folder');
    expect(kindOfEntry('a/', unix(0o040755))).to.equal('file_or_folder');
    expect(kindOfEntry('a', unix(0))).to.equal('file_or_folder');
  });

  it('recognizes symbolic links from any host system', () => {
    for (const host of [0, 3, 7, 10, 11, 19, 255]) {
      expect(kindOfEntry('a', { ...unix(0o120777), host }), `host ${host}`).to.equal('symlink');
    }
  });

  it('recognizes pipes, devices, sockets and unknown types', () => {
    for (const mode of [0o010644, 0o020644, 0o060644, 0o140644, 0o030000, 0o170000]) {
      expect(kindOfEntry('a', unix(mode)), mode.toString(8)).to.equal('special');
    }
  });

  it('treats a folder without a slash as neither file nor folder', () => {
    expect(kindOfEntry('a', unix(0o040755))).to.equal('special');
  });

  it('recognizes links and devices of Windows only for hosts of Windows', () => {
    expect(kindOfEntry('a', { host: 0, externalAttributes: 0x420 })).to.equal('symlink');
    expect(kindOfEntry('a', { host: 10, externalAttributes: 0x40 })).to.equal('special');
    expect(kindOfEntry('a', { host: 3, externalAttributes: 0x440 })).to.equal('file_or_folder');
    expect(kindOfEntry('a/', { host: 0, externalAttributes: 0x10 })).to.equal('file_or_folder');
  });
});

describe('isSystemEntry', () => {
  for (const path of [
    '__MACOSX/',
    '__MACOSX/a/._b',
    '__MACOSX',
    '.DS_Store',
    'a/.DS_Store',
    'Thumbs.db',
    'a/b/desktop.ini',
    'a/DESKTOP.INI',
    'thumbs.DB',
    '__macosx/a',
    'Icon\r',
    'a/Icon\r',
  ]) {
    it(`recognizes ${JSON.stringify(path)}`, () => {
      expect(isSystemEntry(path)).to.equal(true);
    });
  }

  for (const path of [
    'a/__MACOSX/b',
    '__MACOSX2/a',
    'ds_store',
    'a.DS_Store/b',
    'thumbs.db.html',
    'Icon',
    'icon\r',
    'Icon\r/a',
    '._a',
  ]) {
    it(`leaves ${JSON.stringify(path)} to the site`, () => {
      expect(isSystemEntry(path)).to.equal(false);
    });
  }
});

describe('AppleDouble', () => {
  it('is recognized by a name that begins with ._, and by its first four bytes', () => {
    expect(['._a', 'a/._b.html', 'a/._Icon\r'].filter(mayBeAppleDouble)).to.have.length(3);
    expect(['._', 'a._b', '._a/b', 'a/._b/'].filter(mayBeAppleDouble)).to.deep.equal([]);
    expect(isAppleDouble(Uint8Array.of(0, 5, 0x16, 7, 0))).to.equal(true);
    for (const data of [[], [0, 5, 0x16], [0, 5, 0x16, 0]])
      expect(isAppleDouble(Uint8Array.from(data))).to.equal(false);
  });
});
