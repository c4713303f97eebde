import { expect } from 'chai';
import { Words } from '../src/i18n.ts';
import * as en from '../src/messages/en.ts';
import * as ja from '../src/messages/ja.ts';
import { groupRemarks } from '../src/warning-groups.ts';

const english = new Words('en', 'UTC', { ...en.codes, ...en.shared });

describe('groupRemarks', () => {
  it('puts the remarks of a rule together, each with what was seen', () => {
    const groups = groupRemarks(
      [
        { rule: 'broken_reference', path: 'index.html', target: 'gone.png' },
        { rule: 'source_map', path: 'app.js.map' },
        { rule: 'broken_reference', path: 'a/b.html', target: '../x' },
      ],
      english,
    );
    expect(groups).to.deep.equal([
      {
        message: 'broken_reference',
        remarks: [
          { path: 'index.html', seen: 'gone.png' },
          { path: 'a/b.html', seen: '../x' },
        ],
      },
      { message: 'source_map', remarks: [{ path: 'app.js.map', seen: '' }] },
    ]);
  });

  it('says in the language of the person what was seen', () => {
    const mismatch = { rule: 'case_mismatch', path: 'a.html', target: 'X.png', file: 'x.png' } as const;
    const secret = { rule: 'possible_secret', path: 'a.js', secret: 'private_key' } as const;
    const seen = (words: typeof english) =>
      groupRemarks([mismatch, secret], words).map(({ remarks }) => remarks[0]?.seen);
    expect(seen(english)).to.deep.equal(['“X.png” is the file “x.png”', 'private key']);
    expect(seen(new Words('ja', 'UTC', { ...ja.codes, ...ja.shared }))).to.deep.equal([
      '「X.png」（実際のファイル名は「x.png」）',
      '秘密鍵',
    ]);
  });

  it('leaves what an older version said as it was, which is English', () => {
    const [group] = groupRemarks([{ rule: 'source_map', detail: 'Anyone can read it.' }], english);
    expect(group?.remarks).to.deep.equal([{ path: '', seen: 'Anyone can read it.', lang: 'en' }]);
  });

  it('lists no file for what is said of the whole site', () => {
    const [group] = groupRemarks([{ rule: 'not_all_checked' }], english);
    expect(group).to.deep.equal({ message: 'not_all_checked', remarks: [] });
  });

  it('has a sentence for a rule that a later release may bring', () => {
    const [group] = groupRemarks([{ rule: 'later' as 'source_map', path: 'a' }], english);
    expect(group).to.deep.equal({ message: 'otherRule', remarks: [{ path: 'a', seen: '' }] });
  });
});
