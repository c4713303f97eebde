import { execFile } from 'node:child_process';
import { open, readdir, readlink, truncate } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isFault } from '@pinfold/core';
import {
  badZips,
  createStagedArchives,
  goodZips,
  type StagedArchives,
} from '@pinfold/test-contracts/fixtures';
import { type PlannedEntry, repeatedEntries, writeZip } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ZipArchiveInspector } from '../src/index.ts';
import { inspect, requestOf } from './inspection.ts';

const MiB = 1_048_576;
const INDEX: PlannedEntry = { name: 'index.html', content: '<p>Hello' };

/** Five files just below the limits, of bytes that take some time to inflate. */
function largeZip(): Uint8Array {
  const content = Buffer.alloc(9 * MiB);
  for (let at = 0; at < content.length; at += 1) content[at] = (at * at) >> 9;
  return writeZip({ entries: [INDEX, ...['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, content }))] });
}

/** Counts the turns of the event loop until a promise settles. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isSettled = false;
  const ended = work.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await nextTurn();
    turns += 1;
  }
  await ended;
  return turns;
}

/** Descriptors of this process for files of a folder; Linux reports the file of each descriptor. */
async function openFilesIn(folder: string): Promise<number> {
  const names = await readdir('/dev/fd');
  const targets = await Promise.allSettled(names.map((name) => readlink(`/dev/fd/${name}`)));
  return targets.filter((target) => target.status === 'fulfilled' && target.value.startsWith(folder)).length;
}

describe('ZipArchiveInspector', () => {
  let inspector: ZipArchiveInspector;
  let staged: StagedArchives;
  let large: Uint8Array;

  before(() => {
    large = largeZip();
  });
  beforeEach(async () => {
    inspector = new ZipArchiveInspector();
    staged = await createStagedArchives();
  });
  afterEach(async () => {
    await inspector.close();
    await staged.dispose();
  });

  it('does not block the event loop while it proves', async () => {
    const request = await requestOf(inspector, await staged.stage(large));
    expect(await turnsUntil(inspector.prove(request))).to.be.above(100);
  });

  it('lets other work run while it receives a listing of many entries', async () => {
    const folders = Array.from({ length: 20_000 }, (_, n) => ({ name: `${n}/`, method: 0 }));
    const archive = await staged.stage(writeZip({ entries: [INDEX, ...folders], zip64: {} }));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const { entries, problems } = await inspector.list(archive);
    clearInterval(counting);
    expect([entries.length, problems.length]).to.deep.equal([20_001, 0]);
    expect(turns).to.be.above(10);
  });

  it('stops at once when it is aborted, and still serves others', async () => {
    const [one, other] = [await staged.stage(large), await staged.stage(large)];
    const [request, second] = [await requestOf(inspector, one), await requestOf(inspector, other)];
    const [controller, reason] = [new AbortController(), new Error('gone')];
    const aborted = inspector.prove(request, controller.signal).catch((error: unknown) => error);
    const proved = inspector.prove(second);
    await nextTurn();
    controller.abort(reason);
    expect(await aborted).to.equal(reason);
    expect((await proved).entries.length).to.equal(6);
  });

  it('leaves no listener on a signal', async () => {
    const signal = new AbortController().signal;
    const added = new Set<unknown>();
    signal.addEventListener = (_: string, listener: unknown): void => void added.add(listener);
    signal.removeEventListener = (_: string, listener: unknown): void => void added.delete(listener);
    await inspector.list(await staged.stage(writeZip({ entries: [INDEX] })), signal);
    expect(added.size).to.equal(0);
  });

  it('leaves no file open after any outcome', async () => {
    const archive = await staged.stage(large);
    const opened = await open(archive.file);
    if (process.platform === 'linux') expect(await openFilesIn(staged.folder)).to.equal(1);
    await opened.close();
    for (const { bytes } of [...badZips.slice(0, 60), ...goodZips.slice(0, 20)]) {
      await inspect(inspector, await staged.stage(await bytes()));
    }
    const discarded = await staged.stage(large);
    await discarded.discard();
    await inspector.list(discarded).catch(() => undefined);
    const request = await requestOf(inspector, await staged.stage(large));
    await inspector.prove(request, AbortSignal.timeout(1)).catch(() => undefined);
    expect(await openFilesIn(staged.folder)).to.equal(0);
  });

  it('reports a staged file that was truncated as a fault, not as a broken archive', async () => {
    const archive = await staged.stage(large);
    const request = await requestOf(inspector, archive);
    await truncate(archive.file, 1_000);
    const ended = await Promise.allSettled([inspector.prove(request), inspector.list(archive)]);
    for (const error of ended.map((end) => (end.status === 'rejected' ? end.reason : undefined))) {
      expect(isFault(error) && error.code).to.equal('staging_unavailable');
      expect(isFault(error) && (error.cause as NodeJS.ErrnoException).code).to.be.a('string');
    }
  });

  it('reports an archive truncated at any byte as truncated', async () => {
    const whole = writeZip({ entries: [INDEX, { name: 'a.txt', content: 'text' }], comment: 'A comment' });
    for (let length = 0; length < whole.length; length += 1) {
      const { rules } = await inspect(inspector, await staged.stage(whole.subarray(0, length)));
      expect(rules, `${length} bytes`).to.deep.equal([length < 2 ? 'not_a_zip' : 'truncated']);
    }
  });

  it('reads no more entries than the caller allows', async () => {
    const few = new ZipArchiveInspector({ entries: 3 });
    const names = ['a/', 'b/', 'c/'].map((name) => ({ name, method: 0 }));
    const within = await few.list(await staged.stage(writeZip({ entries: [INDEX, ...names.slice(0, 2)] })));
    expect([within.entries.length, within.problems.length]).to.deep.equal([3, 0]);
    const plans = [{}, { end: { count: 2, countOnDisk: 2 } }];
    for (const plan of plans) {
      const over = await few.list(await staged.stage(writeZip({ entries: [INDEX, ...names], ...plan })));
      expect(over.problems.map(({ rule }) => rule)).to.include('too_many_files');
      expect(over).to.deep.include({ entries: [], trusted: false });
    }
    await few.close();
  });

  it('stores a bounded number of the problems of a listing, and counts the others', async () => {
    const { problems, omitted, entries } = await inspector.list(await staged.stage(repeatedEntries(1_500)));
    const byRule = Map.groupBy(problems, ({ rule }) => rule);
    expect(byRule.get('overlapping_entries')?.length).to.equal(1_000);
    expect(entries.length).to.equal(1_500);
    expect(omitted).to.be.at.least(499);
  });

  it('finds secrets, and references of a page, in UTF-16 with a byte order mark', async () => {
    const page = `<a href="gone-é.html"></a><p>sk_live_${'a'.repeat(24)}`;
    const wide = Buffer.from(`\ufeff${page}`, 'utf16le');
    const entries = ['index.html', 'notes.txt', 'other.html'].map((name, at) => {
      const content = Buffer.from(wide);
      return { name, content: at === 0 ? content : content.swap16() };
    });
    const { proof } = await inspect(inspector, await staged.stage(writeZip({ entries })));
    const inOrder = [...proof.entries].sort((a, b) => a.entry - b.entry);
    expect(
      inOrder.map(({ secrets, references }) => [...secrets, ...references.map(({ target }) => target)]),
    ).to.deep.equal([
      ['stripe_secret_key', 'gone-é.html'],
      ['stripe_secret_key'],
      ['stripe_secret_key', 'gone-é.html'],
    ]);
  });

  it('cannot be used after it was closed, and may be closed again', async () => {
    const archive = await staged.stage(large);
    const proved = inspect(inspector, archive).catch((error: unknown) => error);
    await inspector.list(archive);
    await Promise.all([inspector.close(), inspector.close()]);
    await inspector.close();
    expect(await proved).to.satisfy(
      (outcome: unknown) =>
        outcome instanceof TypeError || (outcome as { rules: unknown[] }).rules.length === 0,
    );
    expect(await inspector.list(archive).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });

  it('keeps no finished process alive', async () => {
    const { file, size } = await staged.stage(writeZip({ entries: [INDEX] }));
    const script = `
      import { ZipArchiveInspector } from '@pinfold/archive-zip';
      const { entries } = await new ZipArchiveInspector().list(${JSON.stringify({ file, size })});
      console.log(entries.length);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@pinfold/source', '--input-type=module', '--eval', script],
      { cwd: import.meta.dirname },
    );
    expect(stdout.trim()).to.equal('1');
  });
});
