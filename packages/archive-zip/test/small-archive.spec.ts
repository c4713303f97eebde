import { deflateRawSync } from 'node:zlib';
import type { Sha256, StagedArchive } from '@pinfold/core';
import {
  badZips,
  createStagedArchives,
  goodZips,
  type StagedArchives,
  someBytes,
} from '@pinfold/test-contracts/fixtures';
import { type PlannedEntry, writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ZipArchiveInspector } from '../src/index.ts';
import { inspect, requestOf } from './inspection.ts';

const PAGE: PlannedEntry = { name: 'index.html', content: '<!doctype html><a href="gone.html">on</a>' };

/** An archive in memory without a file: only this thread can read it. */
function withoutFile(bytes: Uint8Array): StagedArchive {
  const discard = async (): Promise<void> => {};
  const open = (): never => {
    throw new TypeError('the archive was opened');
  };
  const rest = { size: bytes.length, sha256: '' as Sha256, open, discard };
  return { file: '/there is no such file', bytes, ...rest };
}

function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'read without its file',
    (error: { readonly code?: string }) => error.code,
  );
}

describe('A small archive in memory', () => {
  const inspector = new ZipArchiveInspector();
  let staged: StagedArchives;

  before(async () => {
    staged = await createStagedArchives();
  });
  after(async () => {
    await inspector.close();
    await staged.dispose();
  });

  it('is listed and proved without its file', async () => {
    const found = await inspect(inspector, withoutFile(writeZip({ entries: [PAGE] })));
    expect(found.problems).to.deep.equal([]);
    expect(found.proof.entries[0]?.references.map(({ target }) => target)).to.deep.equal(['gone.html']);
  });

  it('has the same result as its file, valid or broken', async () => {
    let inMemoryAlone = 0;
    for (const { name, bytes } of [...goodZips, ...badZips]) {
      const content = await bytes();
      const archive = await staged.stage(content);
      const inMemory = await inspect(inspector, { ...archive, bytes: content });
      expect(inMemory, name).to.deep.equal(await inspect(inspector, archive));
      const alone = await inspect(inspector, withoutFile(content)).catch(() => undefined);
      if (alone !== undefined) inMemoryAlone += 1;
    }
    expect(inMemoryAlone).to.be.above(100);
  });

  const many = Array.from({ length: 20 }, (_, n): PlannedEntry => ({ ...PAGE, name: `${n}.html` }));
  const costly: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ['of more than 16 KiB', writeZip({ entries: [PAGE, { name: 'a.bin', content: someBytes(16_384, 1) }] })],
    ['of many entries', writeZip({ entries: [PAGE, ...many] })],
    ['that expands far', writeZip({ entries: [PAGE, { name: 'a.txt', content: ' '.repeat(100_000) }] })],
  ];
  for (const [what, bytes] of costly) {
    it(`is left to a thread if it is one ${what}`, async () => {
      expect(await codeOf(inspector.list(withoutFile(bytes)))).to.equal('staging_unavailable');
      const archive = { ...(await staged.stage(bytes)), bytes };
      const request = await requestOf(inspector, archive);
      expect(request.tasks.length).to.be.above(0);
      const proved = inspector.prove({ ...request, archive: withoutFile(bytes) });
      expect(await codeOf(proved)).to.equal('staging_unavailable');
    });
  }

  it('is left to a thread if a name is not ASCII, because decoding may need the pages', async () => {
    const bytes = writeZip({ entries: [PAGE, { name: Buffer.from([0x8f, 0xe5]) }] });
    expect(await codeOf(inspector.list(withoutFile(bytes)))).to.equal('staging_unavailable');
  });

  it('is left to a thread if an entry inflates beyond its declared size', async () => {
    const raw = deflateRawSync(Buffer.alloc(10_000_000));
    const bytes = writeZip({ entries: [{ ...PAGE, data: raw, both: { size: 100 } }] });
    const request = await requestOf(inspector, withoutFile(bytes));
    expect(await codeOf(inspector.prove(request))).to.equal('staging_unavailable');
  });

  it('is refused after the inspector was closed, and for a signal that was aborted', async () => {
    const archive = withoutFile(writeZip({ entries: [PAGE] }));
    const reason = new Error('gone');
    const aborted = inspector.list(archive, AbortSignal.abort(reason)).catch((error: unknown) => error);
    expect(await aborted).to.equal(reason);
    const closed = new ZipArchiveInspector();
    await closed.close();
    expect(await closed.list(archive).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });
});
