import { expect } from 'chai';
import {
  type ArchiveInspector,
  type ArchiveListing,
  type ArchiveProof,
  type Clock,
  defaultLimits,
  type ListedEntry,
  type StagedArchive,
} from '../../src/index.ts';
import { proveArchive } from '../../src/use-cases/prove-archive.ts';
import { NOW } from '../values.ts';

function entry(name: string, differing: Partial<ListedEntry> = {}): ListedEntry {
  const sizes = { crc32: 7, compressedSize: 10, size: 20, dataOffset: 40 };
  return { name, host: 3, externalAttributes: 0, flags: 0, method: 8, ...sizes, ...differing };
}

const ARCHIVE = {} as StagedArchive;

/** A clock on which no time passes during pauses. */
const clock: Clock = { now: () => NOW, sleep: () => Promise.resolve() };

/** Proves the listing of an inspector; `proof` is its result: by default, all entries are sound and text. */
function prove(
  entries: readonly ListedEntry[],
  proof: Partial<ArchiveProof> = {},
  guessed?: ArchiveListing['guessed'],
) {
  const calls: string[][] = [];
  const listing: ArchiveListing = { entries, problems: [], trusted: true, ...(guessed && { guessed }) };
  const inspector: ArchiveInspector = {
    list: () => Promise.resolve(listing),
    prove: ({ tasks }) => {
      calls.push(tasks.map(({ name }) => name));
      const all = tasks.map((task) => ({
        entry: task.entry,
        utf8: true,
        references: [],
        secrets: [],
        whole: true,
      }));
      return Promise.resolve({ problems: [], entries: all, ...proof });
    },
  };
  const proved = proveArchive({ ports: { inspector, clock }, limits: defaultLimits }, ARCHIVE);
  return { calls, proved };
}

const rulesOf = async ({ proved }: ReturnType<typeof prove>) => {
  const outcome = await proved;
  return outcome.kind === 'refused' ? outcome.problems.map(({ rule }) => rule) : outcome.kind;
};

describe('proving an archive', () => {
  it('warns of names whose encoding was guessed, by the first of them in the site or in the archive', async () => {
    const warned = async (names: readonly string[], first: number, whole = true) => {
      const entries = names.map((name) => entry(name));
      const outcome = await prove(entries, {}, { encoding: 'Big5', first, whole }).proved;
      return outcome.kind === 'proved' ? outcome.warnings : [];
    };
    const named = (path: string) => ({ rule: 'names_decoded', encoding: 'Big5', path });
    expect(await warned(['index.html', '山.html'], 1)).to.deep.equal([named('山.html')]);
    expect(await warned(['山/index.html', '山/水.html'], 1)).to.deep.equal([named('水.html')]);
    expect(await warned(['山/', '山/index.html', '山/a.html'], 0)).to.deep.equal([named('山/')]);
    expect(await warned(['山/index.html', '山/a.html'], 0, false)).to.deep.equal([
      named('山/index.html'),
      { rule: 'not_all_checked' },
    ]);
  });

  it('excludes AppleDouble files from the site', async () => {
    const icon = entry('a/._Icon\r', { appleDouble: true });
    const outcome = await prove([
      entry('index.html'),
      entry('._b', { appleDouble: true }),
      icon,
      entry('._c'),
    ]).proved;
    expect(outcome.kind === 'proved' && outcome.entries.map(({ path }) => path)).to.deep.equal([
      'index.html',
      '._c',
    ]);
  });

  it('returns the files with the position of their bytes, and their total size', async () => {
    const stored = entry('s/a.txt', { method: 0, size: 5, compressedSize: 5, dataOffset: 90, crc32: 9 });
    const proofs = [
      { entry: 1, utf8: true, references: [], secrets: [], whole: true },
      { entry: 2, utf8: false, references: [], secrets: [], whole: true },
    ];
    const { proved } = prove([entry('s/'), entry('s/index.html'), stored], { entries: proofs });
    expect(await proved).to.deep.equal({
      kind: 'proved',
      size: 25,
      warnings: [],
      entries: [
        {
          path: 'index.html',
          offset: 40,
          compressedSize: 10,
          size: 20,
          method: 'deflated',
          crc32: 7,
          utf8: true,
        },
        { path: 'a.txt', offset: 90, compressedSize: 5, size: 5, method: 'stored', crc32: 9, utf8: false },
      ],
    });
  });

  it('reports problems of the listing and of the bytes together, the first of each rule first', async () => {
    const problems = [
      { rule: 'corrupt_data', path: '.env' },
      { rule: 'header_mismatch', path: '.git', fields: ['name'] },
    ] as const;
    const found = prove([entry('.env'), entry('.git'), entry('index.html')], { problems });
    expect(await rulesOf(found)).to.deep.equal([
      'forbidden_name',
      'corrupt_data',
      'header_mismatch',
      'forbidden_name',
    ]);
  });

  it('bounds the entries of a listing by the files allowed, and names the limit for files', async () => {
    const calls: (number | undefined)[] = [];
    const refusedUnder = async (files: number) => {
      const list: ArchiveInspector['list'] = (_archive, _signal, maximum = 0) => {
        calls.push(maximum);
        const problem = { rule: 'too_many_files', limit: maximum, actual: 65_534 } as const;
        return Promise.resolve({ entries: [], problems: [problem], trusted: false });
      };
      const inspector = { list } as ArchiveInspector;
      const limits = { ...defaultLimits, files };
      return await proveArchive({ ports: { inspector, clock }, limits }, ARCHIVE);
    };
    for (const files of [3, 500, 800]) {
      expect(await refusedUnder(files)).to.deep.include({
        problems: [{ rule: 'too_many_files', limit: files, actual: 65_534 }],
      });
    }
    expect(calls).to.deep.equal([5_000, 5_000, 8_000]);
  });

  it('counts the problems of a rule past the thousandth, wherever they were found', async () => {
    const entries = Array.from({ length: 1_200 }, (_, n) => entry(`tmp/${n}`, { method: 12 }));
    const corrupt = Array.from(
      { length: 1_100 },
      (_, n) => ({ rule: 'corrupt_data', path: `${n}` }) as const,
    );
    const listing: ArchiveListing = {
      entries: [entry('index.html'), ...entries],
      problems: [{ rule: 'bad_encoding', reason: 'not_utf8', path: 'a' }],
      omitted: 7,
      trusted: true,
    };
    const inspector: ArchiveInspector = {
      list: () => Promise.resolve(listing),
      prove: () => Promise.resolve({ problems: corrupt, entries: [] }),
    };
    const limits = { ...defaultLimits, files: 2_000 };
    const outcome = await proveArchive({ ports: { inspector, clock }, limits }, ARCHIVE);
    if (outcome.kind !== 'refused') throw new TypeError('it was proved');
    const byRule = Map.groupBy(outcome.problems, ({ rule }) => rule);
    expect(Object.fromEntries([...byRule].map(([rule, { length }]) => [rule, length]))).to.deep.equal({
      bad_encoding: 1,
      forbidden_name: 1_000,
      unsupported_compression: 1_000,
      corrupt_data: 1_000,
    });
    expect(outcome.omitted).to.equal(7 + 200 + 200 + 100);
  });

  it('inflates nothing if there is nothing to inflate, and reports only broken rules', async () => {
    const large = prove([entry('index.html', { size: 11 * 1_048_576 })]);
    expect(await rulesOf(large)).to.deep.equal(['file_too_large']);
    expect(large.calls).to.deep.equal([]);
    const sound = prove([entry('index.html')]);
    expect(await rulesOf(sound)).to.equal('proved');
    expect(sound.calls).to.deep.equal([['index.html']]);
  });

  it('yields to others while it judges megabytes of names, and stops with its signal', async () => {
    let judgedNames = 0;
    const get = (): undefined => {
      judgedNames += 1;
    };
    const entries = Array.from({ length: 4_901 }, (_, n) =>
      Object.defineProperty(entry(`${'ß/'.repeat(335)}${n}`), 'appleDouble', { get }),
    );
    const listing: ArchiveListing = { entries, problems: [], trusted: true };
    const inspector = { list: () => Promise.resolve(listing) } as unknown as ArchiveInspector;
    const stopping = new AbortController();
    let pauses = 0;
    const pausing: Clock = {
      now: () => NOW,
      sleep: (_length, signal) => {
        pauses += 1;
        if (pauses === 1) expect(judgedNames).to.be.below(4_901 / 2);
        if (pauses === 50) stopping.abort(new Error('gone'));
        return signal?.aborted ? Promise.reject(signal.reason) : Promise.resolve();
      },
    };
    const tools = { ports: { inspector, clock: pausing }, limits: defaultLimits };
    const judged = proveArchive(tools, ARCHIVE, stopping.signal);
    expect(await judged.catch((error: Error) => error.message)).to.equal('gone');
    expect(pauses).to.equal(50);
  });
});
