import { closeSync, openSync } from 'node:fs';
import { constants, deflateRawSync } from 'node:zlib';
import { createStagedArchives, type StagedArchives } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { fileSource } from '../src/archive-source.ts';
import type { EntryTask, ProveResult } from '../src/jobs.ts';
import { ProofControl } from '../src/jobs.ts';
import { proveEntries } from '../src/prove-entries.ts';

const MiB = 1_048_576;
/** The bytes that may be inflated beyond a limit before the limit is noticed. */
const PIECE = 262_144;

/** A deflate stream of a number of MiB of zeros. */
function zeros(count: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(MiB), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array.from({ length: count }, () => piece), Buffer.from([3, 0])]);
}

describe('proving a bomb', () => {
  const bomb = zeros(1_024);
  let staged: StagedArchives;
  let fd: number;
  let file: string;

  before(async () => {
    staged = await createStagedArchives();
    file = (await staged.stage(bomb)).file;
    fd = openSync(file, 'r');
  });
  after(async () => {
    closeSync(fd);
    await staged.dispose();
  });

  function task(entry: number, size: number, limit: number): EntryTask {
    const common = {
      method: 8,
      crc32: 0,
      compressedSize: bomb.length,
      dataOffset: 0,
      observedBytes: 0,
      referenceWork: 0,
    };
    return { ...common, entry, name: `${entry}`, size, limit };
  }

  async function prove(tasks: readonly EntryTask[]): Promise<ProveResult & { readonly inflated: number }> {
    const control = new ProofControl();
    const size = bomb.length;
    const rest = { size, tasks, expandedBytes: 50 * MiB, sitePaths: '' };
    const job = { kind: 'prove', staged: { file }, ...rest } as const;
    const result = await proveEntries(fileSource(fd, size), job, control);
    return { ...result, inflated: control.count(0) };
  }

  for (const size of [0, 100, 3 * MiB, 10 * MiB]) {
    it(`stops inflating it at the limit for the whole archive, when its header states ${size} bytes`, async () => {
      const { problems, inflated } = await prove([task(0, size, 10 * MiB)]);
      const rules = problems.map(({ rule }) => rule);
      expect(rules).to.deep.equal(['corrupt_data', 'file_too_large', 'expanded_too_large']);
      expect(inflated).to.be.at.most(50 * MiB + PIECE);
    });
  }

  it('stops inflating many bombs at the limit for the whole archive', async () => {
    const { problems, entries, inflated } = await prove(
      Array.from({ length: 100 }, (_, n) => task(n, 100, 10 * MiB)),
    );
    expect(entries).to.deep.equal([]);
    expect(problems.at(-1)).to.deep.include({ rule: 'expanded_too_large', limit: 50 * MiB });
    expect(problems.filter(({ rule }) => rule === 'expanded_too_large')).to.have.length(1);
    expect(inflated).to.be.at.most(50 * MiB + PIECE);
  });
});
