import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCursor, encodeCursor, type RoleFilter } from '../../src/domain/cursor.ts';
import { accountId, instant, parseRoleId, type RoleId } from '../../src/index.ts';
import { NOW, UUID } from '../values.ts';

const id = UUID as RoleId;
const account = accountId('default');
const everything: RoleFilter = { account, state: undefined, search: undefined };

describe('a cursor', () => {
  it('leads back to its place', () => {
    const states = fc.constantFrom('published', 'expired', 'deleted', undefined);
    fc.assert(
      fc.property(
        fc.nat(),
        fc.uuid(),
        states,
        fc.option(fc.string(), { nil: undefined }),
        (at, uuid, state, search) => {
          const cursor = { publishedAt: instant(at), id: parseRoleId(uuid) as RoleId };
          const filter: RoleFilter = { account, state, search };
          expect(decodeCursor(encodeCursor(cursor, filter), filter)).to.deep.equal(cursor);
        },
      ),
    );
  });
  it('is good under its own filter only', () => {
    const text = encodeCursor({ publishedAt: NOW, id }, everything);
    for (const other of [
      { account: accountId('another') },
      { state: 'expired' },
      { search: 'a' },
      { search: 'undefined' },
      { search: '' },
    ] as const) {
      expect(decodeCursor(text, { ...everything, ...other })).to.have.property('code', 'invalid_cursor');
    }
  });
  it('is safe in a URL as it stands', () => {
    const text = encodeCursor({ publishedAt: NOW, id }, { account, state: 'published', search: 'ä /&' });
    expect(encodeURIComponent(text)).to.equal(text);
  });
  it('that is not ours is refused', () => {
    const text = encodeCursor({ publishedAt: NOW, id }, everything);
    for (const wrong of [
      '',
      'abc',
      `${text}x`,
      `${text}/`,
      ` ${text}`,
      text.replace(id, 'x'.repeat(36)),
      text.replace(id, '-'.repeat(36)),
      text.slice(0, -1),
    ]) {
      expect(decodeCursor(wrong, everything)).to.have.property('code', 'invalid_cursor');
    }
    const [, rest = ''] = /^[^.]+(.*)$/.exec(text) ?? [];
    expect(decodeCursor(`zzzzzzzzzzz${rest}`, everything)).to.have.property('code', 'invalid_cursor');
  });
});
