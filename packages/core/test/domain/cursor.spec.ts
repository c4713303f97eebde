import { expect } from 'chai';
import fc from 'fast-check';
import { cursorCodec, type RoleFilter, roleCursors } from '../../src/domain/cursor.ts';
import { accountId, parseRoleId, type RoleId } from '../../src/index.ts';
import { NOW, UUID } from '../values.ts';

const id = UUID as RoleId;
const account = accountId('default');
const everything: RoleFilter = { account, state: undefined, search: undefined, order: undefined };
const REFUSED = { kind: 'refused', code: 'invalid_cursor' };

describe('a cursor', () => {
  it('returns to its place', () => {
    const states = fc.constantFrom('published', 'expired', 'deleted', undefined);
    fc.assert(
      fc.property(
        fc.nat(),
        fc.uuid(),
        states,
        fc.option(fc.string(), { nil: undefined }),
        (at, uuid, state, search) => {
          const cursor = { rank: at, id: parseRoleId(uuid) as RoleId };
          const filter: RoleFilter = { ...everything, state, search };
          expect(roleCursors(filter).decode(roleCursors(filter).encode(cursor))).to.deep.equal(cursor);
        },
      ),
    );
  });
  it('is valid only under its own filter', () => {
    const text = roleCursors(everything).encode({ rank: NOW, id });
    for (const other of [
      { account: accountId('another') },
      { state: 'expired' },
      { search: 'a' },
      { search: 'undefined' },
      { search: '' },
      { order: 'largest' },
    ] as const) {
      expect(roleCursors({ ...everything, ...other }).decode(text)).to.deep.equal(REFUSED);
    }
  });
  it('is safe in a URL without encoding', () => {
    const text = roleCursors({ ...everything, state: 'published', search: 'ä /&' }).encode({
      rank: NOW,
      id,
    });
    expect(encodeURIComponent(text)).to.equal(text);
  });
  it('is refused if it is not one of the service', () => {
    const text = roleCursors(everything).encode({ rank: NOW, id });
    for (const wrong of [
      '',
      'abc',
      `${text}x`,
      `${text}/`,
      ` ${text}`,
      text.replace(id, 'x'.repeat(36)),
      text.replace(id, '-'.repeat(36)),
      text.slice(0, -1),
      text.replace(id, ''),
      text.replace(id, `1${id.slice(1)}`),
      text.replace(/^\d/, (digit) => String((Number(digit) % 9) + 1)),
      `1${text}`,
      text.replace(id, 'undefined'),
    ]) {
      expect(roleCursors(everything).decode(wrong)).to.deep.equal(REFUSED);
    }
    const [, rest = ''] = /^[^.]+(.*)$/.exec(text) ?? [];
    for (const at of ['9999999999999999', '-1', '1e3', 'zzz', 'undefined', '']) {
      expect(roleCursors(everything).decode(`${at}${rest}`)).to.deep.equal(REFUSED);
    }
  });
  it('is refused by another list', () => {
    const text = cursorCodec({ id: parseRoleId }, ['one list']).encode({ id });
    expect(cursorCodec({ id: parseRoleId }, ['another']).decode(text)).to.deep.equal(REFUSED);
  });
});
