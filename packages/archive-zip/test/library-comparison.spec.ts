import { closeSync, openSync } from 'node:fs';
import { createStagedArchives, type StagedArchives } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { FileSource, StagedFile } from '../src/archive-source.ts';
import { readDirectory } from '../src/central-directory.ts';
import { type EndRecord, findEndRecord } from '../src/end-record.ts';
import type { CentralHeader } from '../src/entry-headers.ts';
import { ProofControl } from '../src/jobs.ts';
import { differsFromLibrary } from '../src/library-comparison.ts';

describe('A second reader of the directory', () => {
  let staged: StagedArchives;
  let fd: number;
  let source: FileSource;
  let headers: readonly CentralHeader[];

  before(async () => {
    staged = await createStagedArchives();
    const bytes = writeZip({
      entries: ['a.html', 'b.html', 'c.html'].map((name) => ({ name, content: name })),
    });
    const archive = await staged.stage(bytes);
    fd = openSync(archive.file, 'r');
    source = new FileSource(fd, archive.size);
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
    const error = await differsFromLibrary(new FileSource(1_000_000, 100), headers).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as NodeJS.ErrnoException).code).to.equal('EBADF');
  });
});
