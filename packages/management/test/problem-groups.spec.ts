import { expect } from 'chai';
import { Words } from '../src/i18n.ts';
import { codes, shared } from '../src/messages/en.ts';
import { groupProblems } from '../src/problem-groups.ts';

const words = new Words('en', 'UTC', { ...codes, ...shared });

describe('groupProblems', () => {
  it('puts the files of a rule together, the first five and how many more', () => {
    const problems = [
      ...Array.from({ length: 17 }, (_, n) => ({
        rule: 'forbidden_name' as const,
        path: `node_modules/${n}`,
        segment: 'node_modules',
      })),
      { rule: 'missing_index' as const },
      { rule: 'forbidden_name' as const, path: '.env', segment: '.env' },
    ];
    const [forbidden, index, ...rest] = groupProblems(problems, words);
    expect(forbidden).to.deep.include({ message: 'forbidden_name', more: 13 });
    expect(forbidden?.paths).to.deep.equal([0, 1, 2, 3, 4].map((n) => `node_modules/${n}`));
    expect(index).to.deep.include({ message: 'missing_index', paths: [], more: 0 });
    expect(rest).to.deep.equal([]);
  });

  it('tells the figures in their units', () => {
    const figures = { limit: 500, actual: 1_234 };
    const told = (['too_many_files', 'expanded_too_large'] as const).map(
      (rule) => groupProblems([{ rule, ...figures }], words)[0]?.values,
    );
    expect(told).to.deep.equal([
      { limit: '500', actual: '1,234' },
      { limit: '500 bytes', actual: '1.2 KiB' },
    ]);
  });

  it('has a sentence for a rule that a later release may bring', () => {
    expect(groupProblems([{ rule: 'new_rule' as 'symlink', path: 'a' }], words)[0]?.message).to.equal(
      'otherRule',
    );
  });
});
