import { closeSync, openSync } from 'node:fs';
import { createStagedArchives, type StagedArchives } from '@pinfold/test-contracts/fixtures';
import { writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { FileSource, StagedFile } from '../src/archive-source.ts';
import { readDirectory } from '../src/central-directory.ts';
import { type EndRecord, findEnd } from '../src/end-record.ts';
import type { CentralHeader } from '../src/entry-headers.ts';
import { readsOtherwise } from '../src/library-walk.ts';
import { ProofControl } from '../src/prove-entries.ts';

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
    headers = readDirectory(file, findEnd(file).end as EndRecord, 1_000, new ProofControl()).headers;
  });
  after(async () => {
    closeSync(fd);
    await staged.dispose();
  });

  it('agrees where both read the same entries', async () => {
    expect(headers.length).to.be.above(1);
    expect(await readsOtherwise(source, headers)).to.equal(false);
  });

  it('differs where it reads one more, one less, or another field', async () => {
    const [first, ...others] = headers as readonly [CentralHeader, ...CentralHeader[]];
    for (const other of [
      others,
      [...headers, first],
      ...(['flags', 'method', 'crc32', 'size', 'localOffset'] as const).map((field) => [
        { ...first, [field]: first[field] + 1 },
        ...others,
      ]),
    ]) {
      expect(await readsOtherwise(source, other)).to.equal(true);
    }
  });

  it('fails as the system does where the file cannot be read', async () => {
    const error = await readsOtherwise(new FileSource(1_000_000, 100), headers).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as NodeJS.ErrnoException).code).to.equal('EBADF');
  });
});
