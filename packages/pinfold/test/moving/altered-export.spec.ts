import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { run } from '../command-run.ts';
import { listFiles, openStage, replaceRecords, succeed } from './stage.ts';

type Json = Readonly<Record<string, unknown>>;
type Row = readonly [
  path: string,
  offset: number,
  packed: number,
  size: number,
  method: number,
  crc32: number,
  0 | 1,
];

describe('the import of an export that was manipulated', () => {
  const stage = ofEachTest(openStage);
  let records: readonly Json[];
  let zip: Buffer;

  beforeEach(async () => {
    await succeed(await stage.stock('one', 1), 'export', stage.at('out'));
    const [file = ''] = await listFiles(stage.at('out', 'records'));
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    records = lines.map((line) => JSON.parse(line));
    const [archive = ''] = await listFiles(stage.at('out', 'archives'));
    zip = await readFile(archive);
  });

  /** Writes other records with their correct hashes, and imports them. */
  async function imported(changed: readonly Json[]) {
    const text = changed.map((record) => `${JSON.stringify(record)}\n`).join('');
    await replaceRecords(stage.at('out'), () => text);
    return run(stage.env('two'), 'import', stage.at('out'));
  }

  const withManifest = (change: (rows: readonly [Row]) => unknown): readonly Json[] =>
    records.map((record) => {
      if (record.record !== 'publication') return record;
      const [version, rows] = JSON.parse(String(record.manifest));
      return { ...record, manifest: JSON.stringify([version, change(rows)]) };
    });

  it('is refused if a manifest does not match its archive', async () => {
    const raw = [0, zip.length, zip.length, 0, crc32(zip), 0] as const;
    for (const change of [
      ([[path, , ...rest]]: readonly [Row]) => [[path, -40, ...rest]],
      ([[path]]: readonly [Row]) => [[path, ...raw]],
      ([[, ...rest]]: readonly [Row]) => [['../index.html', ...rest]],
      ([[path, offset, packed, size, , ...rest]]: readonly [Row]) => [
        [path, offset, packed, size, 0, ...rest],
      ],
      ([[path, offset, packed, size, method, , utf8]]: readonly [Row]) => [
        [path, offset, packed, size, method, 1, utf8],
      ],
      ([row]: readonly [Row]) => [row, ['other.html', ...(row?.slice(1) ?? [])]],
      ([row]: readonly [Row]) => [row, row],
      ([[path, , ...rest]]: readonly [Row]) => [[path, { toString: 'no function' }, ...rest]],
      () => [null],
      () => [],
      () => ({}),
    ] as readonly ((rows: readonly [Row]) => unknown)[]) {
      const refused = await imported(withManifest(change));
      expect(refused.err, String(change)).to.include('does not match the archive');
      expect([refused.code, refused.out]).to.deep.equal([1, '']);
    }
    expect((await imported(records)).code).to.equal(0);
    await succeed(stage.env('two'), 'verify');
  });

  it('is refused if a publication has another size than its archive', async () => {
    const changed = records.map((record) =>
      record.record === 'publication' ? { ...record, archive_bytes: zip.length + 1 } : record,
    );
    const refused = await imported(changed);
    expect(refused.err).to.include('does not match its publication');
    expect(refused.code).to.equal(1);
  });

  it('is refused with a message if a name shows a missing publication', async () => {
    const name = {
      record: 'name',
      account: 'default',
      name: 'docs',
      token: 'a'.repeat(22),
      role: '0e43e310-882e-4d8d-89dc-93eeb0df035d',
      updated_at: 1_795_000_000_000,
    };
    const at = records.findLastIndex(({ record }) => record === 'publication') + 1;
    const refused = await imported(records.toSpliced(at, 0, name));
    expect(refused.err).to.match(/^pinfold: the name docs shows 0e43e310-[^\n]+ does not have[^\n]*\n$/m);
    expect(refused.code).to.equal(1);
  });
});
