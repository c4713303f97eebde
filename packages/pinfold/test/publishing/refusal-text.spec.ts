import { archiveError, wireWarnings } from '@pinfold/http-express/internal/problems';
import { problemOfEachRule, warningOfEachRule } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { formatProblem, formatRefusal, groupFindings } from '../../src/publishing/refusal-text.ts';

describe('the text of a refusal', () => {
  it('names the wrong argument, with its limit', () => {
    const tooLong = { kind: 'refused', rule: 'too_long', limit: 255, actual: 300 } as const;
    expect(formatRefusal({ ...tooLong, code: 'invalid_title' })).to.equal(
      'The title is too long: it has 300 characters, and 255 are allowed.',
    );
    expect(formatRefusal({ ...tooLong, code: 'invalid_idempotency_key' })).to.equal(
      'The Idempotency-Key is too long: it has 300 characters, and 255 are allowed.',
    );
    expect(formatRefusal({ kind: 'refused', code: 'invalid_filename' })).to.match(/^The file needs a name/);
  });

  it('lists the rules that an archive breaks, each once with its files', () => {
    const problems = ['a', 'b'].map((path) => ({ rule: 'encrypted', path }) as const);
    const text = formatProblem('invalid_archive', '', problems.map(archiveError));
    expect(text.split('\n').slice(1)).to.deep.equal([
      '  Encrypted files cannot be published. Make the ZIP without a password. (encrypted, 2)',
      '    a',
      '    b',
    ]);
  });

  it('says what to do about a forbidden folder that pages need', () => {
    const problem = {
      rule: 'forbidden_name',
      path: 'assets/node_modules/',
      segment: 'node_modules',
    } as const;
    const text = formatProblem('invalid_archive', '', [archiveError(problem)]);
    expect(text).to.include('If pages need them, rename the folder');
  });

  it('lists unsafe paths by reason, each below its own reason', () => {
    const problems = [
      { rule: 'unsafe_path', path: 'a:b', reason: 'colon' },
      { rule: 'unsafe_path', path: 'c\\d', reason: 'backslash' },
    ] as const;
    const text = formatProblem('invalid_archive', '', problems.map(archiveError));
    expect(text.split('\n').slice(1)).to.have.length(4);
    expect(text.indexOf('a:b')).to.be.lessThan(text.indexOf('backslash'));
  });
});

function absoluteReferences(count: number): ReturnType<typeof wireWarnings> {
  return wireWarnings(
    Array.from({ length: count }, (_, n) => ({
      rule: 'absolute_reference',
      path: `${n % 4}.html`,
      target: `/${n % 3}`,
      tool: 'vite',
    })),
  );
}

describe('groupFindings', () => {
  it('names a cause and its advice once, with the found texts and the number of files', () => {
    expect(groupFindings(absoluteReferences(12))).to.deep.equal([
      {
        sentence:
          'References that begin with "/", or have too many "../", point outside the site here. The site was built with Vite: use "vite build --base ./" and build it again. (absolute_reference, 12)',
        places: ['4 files: "/0"', '4 files: "/1"', '4 files: "/2"'],
      },
    ]);
  });

  it('reports that there may be more findings if the answer is full', () => {
    expect(groupFindings(absoluteReferences(20))[0]?.sentence).to.include(
      '(absolute_reference, at least 20)',
    );
  });

  it('shows the first places and how many more there are', () => {
    const broken = [1, 2, 3, 4, 5, 6, 7].map(
      (n) => ({ rule: 'broken_reference', path: 'index.html', target: `${n}.png` }) as const,
    );
    const [group, ...others] = groupFindings(wireWarnings(broken));
    expect(others).to.deep.equal([]);
    expect(group?.places.slice(-2)).to.deep.equal(['index.html: "5.png"', 'and 2 more']);
  });

  it('puts files of different sizes, names and methods under one cause', () => {
    for (const problems of [
      [10, 20].map((actual) => ({ rule: 'file_too_large', path: `${actual}`, limit: 5, actual }) as const),
      ['.env', 'log'].map((segment) => ({ rule: 'forbidden_name', path: segment, segment }) as const),
      [14, 98].map((method) => ({ rule: 'unsupported_compression', path: `${method}`, method }) as const),
    ]) {
      const groups = groupFindings(problems.map(archiveError));
      expect(groups, problems[0]?.rule).to.have.length(1);
      expect(groups[0]?.places).to.have.length(2);
    }
  });

  it('uses the sentence of the API for every rule, once for all files', () => {
    const findings = [...problemOfEachRule.map(archiveError), ...wireWarnings(warningOfEachRule)];
    for (const finding of findings) {
      const groups = groupFindings([finding, { ...finding, path: 'other' }]);
      expect(groups, finding.rule).to.have.length(1);
      const { sentence = '', places = [] } = groups[0] ?? {};
      const [text] = sentence.split(` (${finding.rule}, 2)`);
      expect(finding.detail.endsWith(text ?? ''), sentence).to.equal(true);
      const seen = finding.detail.slice(0, -(text ?? '').length).replace(/: $/, '');
      expect(places.join(), finding.rule).to.include(seen);
    }
  });

  it('groups findings of other server versions by their text', () => {
    const old = { rule: 'source_map', detail: 'Anyone can read it.' };
    const newer = { rule: 'constructor', detail: 'Something new: a thing.', path: 'a' };
    expect(groupFindings([old, newer, newer, { ...old, path: 'b' }])).to.deep.equal([
      { sentence: 'Anyone can read it. (source_map, 2)', places: ['b'] },
      { sentence: 'Something new: a thing. (constructor, 2)', places: ['a'] },
    ]);
  });
});
