import { closeSync, openSync } from 'node:fs';
import {
  badZips,
  createStagedArchives,
  goodZips,
  type StagedArchives,
} from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { type ArchiveSource, fileSource, memorySource, StagedFile } from '../src/archive-source.ts';
import { type EndRecord, findEndRecord, readDirectory } from '../src/central-directory.ts';
import type { CentralHeader } from '../src/entry-headers.ts';
import { ProofControl } from '../src/jobs.ts';
import { differsFromLibrary, hasSingleReading } from '../src/library-comparison.ts';
import { mutate, Random } from './fuzzing/mutate.ts';

describe('A second reader of the directory', () => {
  let staged: StagedArchives;
  let fd: number;
  let source: ArchiveSource;
  let headers: readonly CentralHeader[];

  before(async () => {
    staged = await createStagedArchives();
    const bytes = writeZip({
      entries: ['a.html', 'b.html', 'c.html'].map((name) => ({ name, content: name })),
    });
    const archive = await staged.stage(bytes);
    fd = openSync(archive.file, 'r');
    source = fileSource(fd, archive.size);
    const file = new StagedFile(source, 4_096);
    headers = readDirectory(file, findEndRecord(file).end as EndRecord, 1_000, new ProofControl()).headers;
  });
  after(async () => {
    closeSync(fd);
    await staged.dispose();
  });

  it('agrees if both read the same entries', async () => {
    expect(headers.length).to.be.above(1);
    expect(await differsFromLibrary(source, headers)).to.equal(false);
  });

  it('differs if it reads one entry more, one less, or another field', async () => {
    const [first, ...others] = headers as readonly [CentralHeader, ...CentralHeader[]];
    for (const other of [
      others,
      [...headers, first],
      ...(['flags', 'method', 'crc32', 'size', 'localOffset'] as const).map((field) => [
        { ...first, [field]: first[field] + 1 },
        ...others,
      ]),
    ]) {
      expect(await differsFromLibrary(source, other)).to.equal(true);
    }
  });

  it('fails with an error of the system if the file cannot be read', async () => {
    const error = await differsFromLibrary(fileSource(1_000_000, 100), headers).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as NodeJS.ErrnoException).code).to.equal('EBADF');
  });
});

/** Whether an archive has a single reading by our rule, and whether the library's differs; undefined without a directory. */
async function readingsOf(
  bytes: Uint8Array,
): Promise<{ readonly isSingle: boolean; readonly differs: boolean } | undefined> {
  const source = memorySource(bytes);
  const file = new StagedFile(source, bytes.length);
  const { end, problems } = findEndRecord(file);
  if (end === undefined || problems.length > 0) return undefined;
  const { headers, problems: directoryProblems } = readDirectory(file, end, 1_000);
  if (headers.length === 0 || directoryProblems.length > 0) return undefined;
  const isSingle = hasSingleReading(file, end, headers);
  return { isSingle, differs: await differsFromLibrary(source, headers) };
}

describe('A directory with one reading', () => {
  it('belongs to a common archive, but not to one with a comment or a Zip64 record', async () => {
    const entries = [{ name: 'a.html', content: 'a' }];
    expect((await readingsOf(writeZip({ entries })))?.isSingle).to.equal(true);
    for (const more of [{ comment: 'x' }, { zip64: {} }]) {
      expect((await readingsOf(writeZip({ entries, ...more })))?.isSingle).to.equal(false);
    }
  });

  it('is read the same by another reader, in valid, broken and mutated archives', async () => {
    const cases = await Promise.all([...goodZips, ...badZips].map(({ bytes }) => bytes()));
    const small = cases.filter(({ length }) => length < 8_192);
    const mutations = Array.from({ length: 3_000 }, (_, seed) => {
      const random = new Random(seed);
      return mutate(random.pick(small), random.pick(small), random);
    });
    let singleReadings = 0;
    for (const [index, bytes] of [...small, ...mutations].entries()) {
      const readings = await readingsOf(bytes);
      if (readings?.isSingle !== true) continue;
      singleReadings += 1;
      expect(readings.differs, `archive ${index}`).to.equal(false);
    }
    expect(singleReadings).to.be.above(300);
  });
});
