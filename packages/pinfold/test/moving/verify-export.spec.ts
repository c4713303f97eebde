import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { type CommandRun, run, runWith } from '../command-run.ts';
import { openStage, type Stage } from './stage.ts';

/** Needs nothing of a service: not even a data folder. */
const NOWHERE = { PINFOLD_DATA_DIR: '/nowhere/at/all' };

describe('pinfold verify of an export', () => {
  let stage: Stage;
  let folder: string;

  before(async () => {
    stage = openStage();
    const env = await stage.stock('one', 3);
    expect((await run(env, 'export', stage.at('sound'))).code).to.equal(0);
  });

  beforeEach(async () => {
    folder = stage.at(`copy-${Math.random()}`);
    await cp(stage.at('sound'), folder, { recursive: true });
  });

  const verify = async (): Promise<{ readonly code: number; readonly report: Report }> => {
    const { code, out } = await run(NOWHERE, 'verify', folder, '--json');
    return { code, report: JSON.parse(out) };
  };

  async function archives(): Promise<readonly string[]> {
    const found = await readdir(join(folder, 'archives'), { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  const idOf = (file = ''): string => file.slice(file.lastIndexOf('/') + 1);

  it('finds all well where all is, without a database', async () => {
    const { code, report } = await verify();
    const { records, ...rest } = report;
    expect([code, rest]).to.deep.equal([
      0,
      { named: 3, read: 3, superfluous: 0, missing: [], altered: [], failures: [] },
    ]);
    expect(records).to.be.greaterThan(3);
    const { out } = await run(NOWHERE, 'verify', folder);
    expect(out).to.match(
      /^\d+ records, 3 archives of publications, 3 of them read; 0 more have no publication\n$/,
    );
  });

  it('names each archive that is missing, longer, other or unreadable, and ends with 1', async () => {
    const [first = '', second = '', third = ''] = await archives();
    await rm(first);
    await appendFile(second, 'x');
    const bytes = await readFile(third);
    await writeFile(third, bytes.with(bytes.length >> 1, 0x21 ^ Number(bytes[bytes.length >> 1])));
    const { code, report } = await verify();
    expect(code).to.equal(1);
    expect(report.missing.map(({ archive }) => archive)).to.deep.equal([idOf(first)]);
    expect(report.altered.map(({ archive }) => archive)).to.have.members([second, third].map(idOf));
    const { out, err } = await run(NOWHERE, 'verify', folder);
    expect(out).to.include(`missing: ${idOf(first)} of publication `);
    expect(err).to.equal('pinfold: the export is not sound: 3 faults\n');
    await rm(second);
    await mkdir(second);
    expect((await verify()).code).to.equal(1);
  });

  it('names a file of records that is damaged or gone, and looks at the rest', async () => {
    const [name = ''] = await readdir(join(folder, 'records'));
    const file = join(folder, 'records', name);
    await appendFile(file, '\n');
    const damaged = await verify();
    expect([damaged.code, damaged.report.failures]).to.deep.equal([
      1,
      [`records/${name} is not what the manifest says`],
    ]);
    expect(damaged.report.superfluous).to.equal(3);
    await rm(file);
    const gone = await verify();
    expect([gone.code, gone.report.failures]).to.deep.equal([1, [`records/${name} cannot be read (ENOENT)`]]);
  });

  it('counts archives that no record names, and takes them for no fault', async () => {
    const [first = ''] = await archives();
    const id = idOf(first).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    await cp(first, first.replace(idOf(first), id));
    const { code, report } = await verify();
    expect([code, report.superfluous]).to.deep.equal([0, 1]);
  });

  it('ends with 1 where there is no export, or only a part of one', async () => {
    await rm(join(folder, 'archives'), { recursive: true });
    const without = await verify();
    expect([without.code, without.report.missing.length]).to.deep.equal([1, 3]);
    await rm(join(folder, 'manifest.json'));
    for (const place of [folder, join(folder, 'none')]) {
      const { code, err } = await run(NOWHERE, 'verify', place);
      expect([code, err.includes('there is no export')]).to.deep.equal([1, true]);
    }
  });

  it('reads no more archives than its sample, and finds all that are missing', async () => {
    const [first = '', ...others] = await archives();
    await rm(first);
    for (const other of others) await appendFile(other, 'x');
    const { code, out } = await run(NOWHERE, 'verify', folder, '--json', '--sample', '1');
    const { missing, altered, read } = JSON.parse(out) as Report & { readonly read: number };
    expect([code, missing.length]).to.deep.equal([1, 1]);
    expect(altered.length).to.equal(read);
    expect(read).to.be.at.most(1);
    expect((await run(NOWHERE, 'verify', '-', '--sample', '1')).code).to.equal(2);
  });

  describe('as a tar', () => {
    let tar: string;
    before(async () => {
      tar = stage.at('export.tar');
      const pipe = (bytes: ReadableStream<Uint8Array>) => pipeline(bytes, createWriteStream(tar));
      expect((await runWith({ pipe }, stage.env('one'), 'export', '-')).code).to.equal(0);
    });

    const verifyTar = (file: string): Promise<CommandRun> =>
      runWith(
        { stream: () => Readable.toWeb(createReadStream(file)) as unknown as ReadableStream<Uint8Array> },
        NOWHERE,
        ...['verify', '-', '--json'],
      );

    it('finds all well where all is', async () => {
      const { code, out } = await verifyTar(tar);
      expect([code, JSON.parse(out).named]).to.deep.equal([0, 3]);
    });

    it('ends with 1 where it is cut, and where a byte of an archive is another one', async () => {
      const bytes = await readFile(tar);
      await writeFile(stage.at('cut.tar'), bytes.subarray(0, bytes.length - 4_096));
      expect((await verifyTar(stage.at('cut.tar'))).code).to.equal(1);
      const at = bytes.indexOf('index.html', bytes.indexOf('PK\u0003\u0004')) + 20;
      await writeFile(stage.at('altered.tar'), bytes.with(at, Number(bytes[at]) ^ 1));
      const { code, out } = await verifyTar(stage.at('altered.tar'));
      expect([code, JSON.parse(out).altered.length]).to.deep.equal([1, 1]);
      await writeFile(stage.at('none.tar'), 'no tar');
      expect((await verifyTar(stage.at('none.tar'))).code).to.equal(1);
    });
  });
});

interface Report {
  readonly records: number;
  readonly named: number;
  readonly superfluous: number;
  readonly missing: readonly { readonly archive: string }[];
  readonly altered: readonly { readonly archive: string }[];
  readonly failures: readonly string[];
}
