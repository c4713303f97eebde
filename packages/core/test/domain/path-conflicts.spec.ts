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

  it('takes no longer if many names are the same, have the same hash or are folders of each other', () => {
    let sameHash = [''];
    for (let n = 0; n < 18; n += 1) sameHash = sameHash.flatMap((name) => [`${name}Aa`, `${name}BB`]);
    const [files, folders] = [sameHash.slice(2 ** 17), sameHash.slice(0, 2 ** 17)].map((names) =>
      names.map((name) => ({ name })),
    ) as [Named[], Named[]];
    const below = folders.map(({ name }) => ({ name: `${name}/a` }));
    expect(findPathConflicts([...files, ...below], files)).to.deep.equal([]);
    const [file] = files;
    const same = Array<Named>(200_000).fill(file as Named);
    const entries = same.map(({ name }) => ({ name: `${name}/a` }));
    expect(findPathConflicts(entries, [...same, ...files])).to.have.lengthOf(200_001);
    const deep = Buffer.alloc(6_000, 'a/').toString('latin1');
    const parents = Array.from({ length: 3_000 }, (_, n) => ({ name: deep.slice(0, 2 * n + 1) }));
    const deepest = parents.map((_, n) => ({ name: Buffer.from(`${deep}${n}`).toString('latin1') }));
    expect(findPathConflicts(deepest, parents)).to.deep.equal(parents);
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
