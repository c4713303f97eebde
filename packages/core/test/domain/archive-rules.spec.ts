import { textsNormalizedBy } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import fc from 'fast-check';
import { judgeListing } from '../../src/adapter.ts';
import { judgeInChunks, orderProblems } from '../../src/domain/archive-rules.ts';
import {
  type ArchiveListing,
  type ArchiveRule,
  defaultLimits,
  type Judgement,
  type ListedEntry,
} from '../../src/index.ts';

const MiB = 1_048_576;

function entry(name: string, differing: Partial<ListedEntry> = {}): ListedEntry {
  return {
    name,
    host: 3,
    externalAttributes: 0,
    flags: 0,
    method: 8,
    crc32: 0,
    compressedSize: 10,
    size: 20,
    dataOffset: 40,
    ...differing,
  };
}

function judge(entries: readonly ListedEntry[], differing: Partial<ArchiveListing> = {}): Judgement {
  return judgeListing({ entries, problems: [], trusted: true, ...differing }, defaultLimits);
}

const site = (...entries: ListedEntry[]): Judgement => judge([entry('index.html'), ...entries]);
const rulesOf = ({ problems }: Judgement): string[] =>
  problems.map((problem) => ('path' in problem ? `${problem.rule} ${problem.path}` : problem.rule));
const pathsOf = ({ files }: Judgement): string[] => files.map(({ path }) => path);

describe('the start page', () => {
  it('is index.html at the root', () => {
    const judged = judge([entry('a/index.html'), entry('index.html')]);
    expect(rulesOf(judged)).to.deep.equal([]);
    expect(pathsOf(judged)).to.deep.equal(['a/index.html', 'index.html']);
  });

  it('is otherwise in the one folder that holds everything, which is removed from the paths', () => {
    const judged = judge([entry('site/'), entry('site/a/b.css'), entry('site/index.html')]);
    expect(rulesOf(judged)).to.deep.equal([]);
    expect(pathsOf(judged)).to.deep.equal(['a/b.css', 'index.html']);
  });

  it('is found even if an operating system added files to the archive', () => {
    const added = ['__MACOSX/', '__MACOSX/site/._index.html', '.DS_Store', 'Thumbs.db', 'site/desktop.ini'];
    const judged = judge([...added.map((name) => entry(name)), entry('site/index.html')]);
    expect(rulesOf(judged)).to.deep.equal([]);
    expect(pathsOf(judged)).to.deep.equal(['index.html']);
  });

  for (const names of [
    [],
    ['a.html'],
    ['site/a.html'],
    ['Index.html'],
    ['index.htm'],
    ['index.html/'],
    ['a/index.html', 'b/c.html'],
    ['a/index.html', 'b/'],
    ['a/index.html', 'c.txt'],
    ['a/b/index.html'],
    ['ab/index.html', 'a/x'],
    ['__MACOSX/index.html'],
  ]) {
    it(`is missing in [${names.join(', ')}]`, () => {
      expect(rulesOf(judge(names.map((name) => entry(name))))).to.deep.equal(['missing_index']);
    });
  }

  it('is not required if no entry could be read', () => {
    const broken = judge([], { problems: [{ rule: 'truncated' }], trusted: false });
    expect(rulesOf(broken)).to.deep.equal(['truncated']);
  });
});

describe('the names of an archive', () => {
  it('are reported as they are read: PowerShell and bsdtar write them differently', () => {
    const windows = [entry('index.html', { host: 0 }), entry('a\\..\\b', { host: 0 })];
    expect(rulesOf(judge(windows))).to.deep.equal(['unsafe_path a/../b']);
    const both = judge(['.\\', '.\\index.html', '.\\.git\\a'].map((name) => entry(name, { host: 0 })));
    expect(rulesOf(both)).to.deep.equal(['forbidden_name .git/a']);
    expect(pathsOf(judge([entry('./'), entry('./index.html')]))).to.deep.equal(['index.html']);
  });

  it('are also checked for folders and for files that systems add', () => {
    expect(rulesOf(site(entry('../a/')))).to.deep.equal(['unsafe_path ../a/']);
    expect(rulesOf(site(entry('node_modules/')))).to.deep.equal(['forbidden_name node_modules/']);
    expect(rulesOf(site(entry('__MACOSX/../a')))).to.deep.equal(['unsafe_path __MACOSX/../a']);
  });

  it('may be repeated for folders, not for files', () => {
    expect(rulesOf(site(entry('a/'), entry('a/'), entry('A/')))).to.deep.equal([]);
    expect(rulesOf(site(entry('a'), entry('a')))).to.deep.equal(['duplicate_path a']);
    expect(rulesOf(site(entry('é'), entry('E\u0301')))).to.deep.equal(['duplicate_path E\u0301']);
  });

  it('are compared unfolded if they are too long', async () => {
    const long = `a${'\u0315\u0301'.repeat(1_000)}`;
    let rules: string[] = [];
    const normalized = await textsNormalizedBy(() => {
      rules = site(entry(long), entry(long), entry(long.toUpperCase())).problems.map(({ rule }) => rule);
    });
    expect(rules).to.deep.equal(['unsafe_path', 'unsafe_path', 'unsafe_path', 'duplicate_path']);
    expect(normalized.every((text) => text.length < 1_024)).to.equal(true);
  });

  it('are reported with each other if a file system regards them as the same', () => {
    const [folded] = site(entry('Logo.png'), entry('logo.PNG')).problems;
    expect(folded).to.deep.equal({ rule: 'duplicate_path', path: 'logo.PNG', other: 'Logo.png' });
    const [twice] = site(entry('Logo.png'), entry('Logo.png')).problems;
    expect(twice).to.deep.equal({ rule: 'duplicate_path', path: 'Logo.png' });
  });

  it('cannot belong to both a file and a folder', () => {
    expect(rulesOf(site(entry('a'), entry('a/b')))).to.deep.equal(['path_conflict a']);
    expect(rulesOf(site(entry('a/'), entry('a')))).to.deep.equal(['path_conflict a']);
    expect(rulesOf(site(entry('a'), entry('ab/c')))).to.deep.equal([]);
  });
});

describe('the kinds and methods of entries', () => {
  const differing: readonly (readonly [Partial<ListedEntry>, ArchiveRule])[] = [
    [{ externalAttributes: 0xa1ff0000 }, 'symlink'],
    [{ externalAttributes: 0x21b60000 }, 'special_file'],
    [{ flags: 0x0001 }, 'encrypted'],
    [{ flags: 0x0040 }, 'encrypted'],
    [{ flags: 0x2000 }, 'encrypted'],
    [{ method: 99 }, 'encrypted'],
    [{ method: 1 }, 'unsupported_compression'],
    [{ method: 9 }, 'unsupported_compression'],
    [{ method: 12 }, 'unsupported_compression'],
  ];
  for (const [fields, rule] of differing) {
    it(`break ${rule} with ${JSON.stringify(fields)}, for files, folders and files that systems add`, () => {
      for (const name of ['a', 'a/', '__MACOSX/a']) {
        expect(rulesOf(site(entry(name, fields)))).to.deep.equal([`${rule} ${name}`]);
      }
    });
  }
});

describe('the limits of an archive', () => {
  const files = (count: number): ListedEntry[] => Array.from({ length: count }, (_, n) => entry(`${n}.txt`));

  it('are inclusive for the number of files, and count neither folders nor files that systems add', () => {
    expect(rulesOf(site(...files(499)))).to.deep.equal([]);
    expect(rulesOf(site(...files(499), entry('a/'), entry('__MACOSX/a'), entry('.DS_Store')))).to.deep.equal(
      [],
    );
    const [problem] = site(...files(500)).problems;
    expect(problem).to.include({ rule: 'too_many_files', limit: 500, actual: 501 });
  });

  it('are inclusive for the size of a file', () => {
    expect(rulesOf(site(entry('a', { size: 10 * MiB })))).to.deep.equal([]);
    const [problem] = site(entry('a', { size: 10 * MiB + 1 })).problems;
    expect(problem).to.include({ rule: 'file_too_large', path: 'a', limit: 10 * MiB, actual: 10 * MiB + 1 });
  });

  it('are inclusive for all entries together, including folders and files that systems add', () => {
    const four = ['a', 'b', 'c', 'd'].map((name) => entry(name, { size: 10 * MiB }));
    expect(rulesOf(site(...four, entry('__MACOSX/x', { size: 10 * MiB - 20 })))).to.deep.equal([]);
    const over = site(...four, entry('__MACOSX/x', { size: 10 * MiB - 19 }));
    expect(over.problems[0]).to.include({
      rule: 'expanded_too_large',
      limit: 50 * MiB,
      actual: 50 * MiB + 1,
    });
    expect(rulesOf(site(entry('x/', { size: 51 * MiB })))).to.deep.equal(['expanded_too_large']);
  });
});

describe('the entries to prove', () => {
  it('are all, each under its limit, and files of the site with their path', () => {
    const { tasks } = judge([entry('s/'), entry('s/index.html'), entry('s/.DS_Store')]);
    expect(tasks).to.deep.equal([
      { entry: 0, name: 's/', limit: 50 * MiB },
      { entry: 1, name: 's/index.html', limit: 10 * MiB, path: 'index.html' },
      { entry: 2, name: 's/.DS_Store', limit: 50 * MiB },
    ]);
  });

  it('are all that can be inflated, even if another rule is broken', () => {
    const { tasks } = site(entry('../a'), entry('b', { flags: 1 }), entry('c', { method: 12 }));
    expect(tasks.map(({ entry: position }) => position)).to.deep.equal([0, 1]);
    const [page] = judge([entry('long/path/of/a/page.html')]).tasks;
    expect(page).to.include({ path: 'long/path/of/a/page.html' });
  });

  it('are none if a count or size limit is exceeded, or the structure is unreliable', () => {
    expect(site(entry('a', { size: 11 * MiB })).tasks).to.deep.equal([]);
    const many = Array.from({ length: 6 }, (_, n) => entry(`${n}`, { size: 9 * MiB }));
    expect(rulesOf(site(...many))).to.deep.equal(['expanded_too_large']);
    expect(site(...many).tasks).to.deep.equal([]);
    expect(site(...Array.from({ length: 500 }, (_, n) => entry(`${n}`))).tasks).to.deep.equal([]);
    expect(judge([entry('index.html')], { trusted: false }).tasks).to.deep.equal([]);
  });
});

describe('the problems of an archive', () => {
  it('are all reported, including those of the structure', () => {
    const listing = { problems: [{ rule: 'header_mismatch', fields: ['name'], path: 'x' }] } as const;
    const judged = judge([entry('/a', { method: 5 }), entry('tmp/b'), entry('/A')], listing);
    expect(rulesOf(judged)).to.have.members([
      'header_mismatch x',
      'unsafe_path /a',
      'unsupported_compression /a',
      'forbidden_name tmp/b',
      'unsafe_path /A',
      'duplicate_path /A',
      'missing_index',
    ]);
  });

  it('keep their details, and a count that stopped early has the limit for files', () => {
    const listed = [
      { rule: 'header_mismatch', fields: ['name'], path: 'x' },
      { rule: 'too_many_files', limit: 5_000, actual: 5_001 },
    ] as const;
    const { problems, omitted } = judge([entry('a')], { problems: listed, omitted: 3 });
    expect([...problems.slice(0, 2), omitted]).to.deep.equal([listed[0], { ...listed[1], limit: 500 }, 3]);
  });

  it('are ordered so that a truncated list names every rule, and none is lost or added', () => {
    const problem = fc.record({ rule: fc.constantFrom('a', 'b', 'c', 'd'), n: fc.nat() });
    fc.assert(
      fc.property(fc.array(problem), (problems) => {
        const ordered = orderProblems(problems);
        const kinds = new Set(problems.map(({ rule }) => rule)).size;
        expect(ordered).to.have.members(problems);
        expect(new Set(ordered.slice(0, kinds).map(({ rule }) => rule)).size).to.equal(kinds);
      }),
    );
  });

  it('are found in any archive without failing, and no file without problems has an unsafe path', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('index.html', 'a/index.html', 'a/', './', 'a\\b', '__proto__'),
    );
    const any = fc.record({
      name,
      host: fc.nat(255),
      externalAttributes: fc.nat(0xffff_ffff),
      flags: fc.nat(0xffff),
      method: fc.nat(99),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (entries) => {
        const judged = judge(entries.map(({ name: text, ...fields }) => entry(text, fields)));
        if (judged.problems.length > 0) return;
        expect(pathsOf(judged)).to.include('index.html');
        expect(judged.tasks.length).to.be.at.least(judged.files.length);
      }),
    );
  });
});

describe('names of an archive with far too many files', () => {
  const same = [entry('a'), entry('A'), entry('b'), entry('b/c')];
  const files = (count: number, name: (n: number) => string = String) =>
    Array.from({ length: count }, (_, n) => entry(name(n)));

  const rulesWith = (others: readonly ListedEntry[]): readonly ArchiveRule[] => {
    const { problems } = site(...same, ...others);
    return [...new Set(problems.map(({ rule }) => rule))];
  };

  it('are compared up to ten times the files that are allowed', () => {
    expect(rulesWith(files(4_995))).to.deep.equal(['too_many_files', 'duplicate_path', 'path_conflict']);
  });

  it('are not compared past that: the archive is refused, with the reason', () => {
    expect(rulesWith(files(4_996))).to.deep.equal(['too_many_files']);
  });

  it('are compared even if an operating system added many files', () => {
    const added = files(6_000, (n) => `__MACOSX/._${n}`);
    expect(rulesWith(added)).to.deep.equal(['duplicate_path', 'path_conflict']);
  });
});

describe('judging many names in steps', () => {
  const names = (count: number, length: number) =>
    Array.from({ length: count }, (_, n) => entry(`${'ß/'.repeat(length / 2)}${n}`));
  const pausesFor = (entries: readonly ListedEntry[]): number => {
    const judging = judgeInChunks({ entries, problems: [], trusted: true }, defaultLimits);
    let pauses = 0;
    while (judging.next().done !== true) pauses += 1;
    return pauses;
  };

  it('yields more often the more names or characters there are', () => {
    expect(pausesFor(names(500, 60))).to.be.below(8);
    expect(pausesFor(names(4_901, 680))).to.be.above(4 * 25);
    expect(pausesFor(names(60_001, 2))).to.be.above(25);
    const long = (text: string) => Array.from({ length: 200 }, (_, n) => entry(`${text.repeat(250)}${n}`));
    expect(pausesFor(long('ab'))).to.be.below(8);
    expect(pausesFor(long('\u0315\u0301')), 'combining marks have to be sorted').to.be.above(25);
  });
});
