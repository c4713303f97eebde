import { archiveError } from '@pinfold/http-express/internal/problems';
import { expect } from 'chai';
import { formatProblem, formatRefusal } from '../../src/publishing/refusal-text.ts';

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
