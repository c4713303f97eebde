import { archiveError } from '@pinfold/http-express/internal/problems';
import { expect } from 'chai';
import { formatProblem, formatRefusal } from '../../src/publishing/refusal-text.ts';

describe('the text of a refusal', () => {
  it('names the wrong option, with its limits', () => {
    const numbers = { kind: 'refused', rule: 'too_long', limit: 255, actual: 300 } as const;
    expect(formatRefusal({ ...numbers, code: 'invalid_title' })).to.equal(
      'The title is too long: it has 300 characters, and 255 are allowed.',
    );
    expect(formatRefusal({ ...numbers, code: 'invalid_idempotency_key' })).to.equal(
      'The Idempotency-Key is too long: it has 300 characters, and 255 are allowed.',
    );
    expect(formatRefusal({ kind: 'refused', code: 'invalid_filename' })).to.match(/^The file needs a name/);
  });

  it('lists the rules an archive breaks, each once with its files', () => {
    const problems = ['a', 'b'].map((path) => ({ rule: 'encrypted', path }) as const);
    const words = formatProblem('invalid_archive', '', problems.map(archiveError));
    expect(words.split('\n').slice(1)).to.deep.equal([
      '  Encrypted files cannot be published. Make the ZIP without a password. (encrypted, 2)',
      '    a',
      '    b',
    ]);
  });

  it('names each kind of unsafe name with the files that it is about', () => {
    const problems = [
      { rule: 'unsafe_path', path: 'a:b', reason: 'colon' },
      { rule: 'unsafe_path', path: 'c\\d', reason: 'backslash' },
    ] as const;
    const words = formatProblem('invalid_archive', '', problems.map(archiveError));
    expect(words.split('\n').slice(1)).to.have.length(4);
    expect(words.indexOf('a:b')).to.be.lessThan(words.indexOf('backslash'));
  });
});
