import { expect } from 'chai';
import fc from 'fast-check';
import * as conflicts from '../../src/domain/path-conflicts.ts';
import { runToEnd } from '../../src/domain/path-conflicts.ts';

type Named = { readonly name: string };
const findPathConflicts = (entries: readonly Named[], files: readonly Named[]) =>
  runToEnd(conflicts.findPathConflicts(entries, files));

describe('findPathConflicts', () => {
  it('finds the same conflicts as a comparison of every pair of names', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'ba');
    const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => ({
      name: segments.join('/'),
    }));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (files) => {
        const expected = files.filter((file) =>
          files.some((other) => other.name.startsWith(`${file.name}/`)),
        );
        expect(findPathConflicts(files, files)).to.deep.equal(expected);
      }),
    );
  });

  it('takes time linear in the length of all names, however many and deep they are', () => {
    // A search whose time grows with the square of their number would not end within the test's limit.
    const deep = 'a/'.repeat(500);
    const files = Array.from({ length: 10_000 }, (_, n) => ({ name: `${deep}${n}` }));
    expect(findPathConflicts(files, files)).to.deep.equal([]);
  });

  it('finds a file that a folder entry names', () => {
    const file = { name: 'a' };
    expect(findPathConflicts([file, { name: 'a/' }], [file])).to.deep.equal([file]);
  });

  it('distinguishes two paths with the same hash', () => {
    const file = { name: 'Aa' };
    expect(findPathConflicts([file, { name: 'BB/c' }], [file])).to.deep.equal([]);
    const start = { name: '\0' };
    expect(findPathConflicts([start, { name: '\0\0/c' }], [start])).to.deep.equal([]);
  });
});
