import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { type CommandRun, failureOf, run, runWith } from '../command-run.ts';
import { alterManifest, listFiles, openStage, replaceRecords, type Stage } from './stage.ts';

/** Needs no service, not even a data folder. */
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

  const archives = () => listFiles(join(folder, 'archives'));

  const resolveId = (file = ''): string => file.slice(file.lastIndexOf('/') + 1);

  it('finds no problems in a correct export, without a database', async () => {
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

  it('names each archive that is missing, longer, different or unreadable, and exits with 1', async () => {
    const [first = '', second = '', third = ''] = await archives();
    await rm(first);
    await appendFile(second, 'x');
    const bytes = await readFile(third);
    await writeFile(third, bytes.with(bytes.length >> 1, 0x21 ^ Number(bytes[bytes.length >> 1])));
    const { code, report } = await verify();
    expect(code).to.equal(1);
    expect(report.missing.map(({ archive }) => archive)).to.deep.equal([resolveId(first)]);
    expect(report.altered.map(({ archive }) => archive)).to.have.members([second, third].map(resolveId));
    const { out, err } = await run(NOWHERE, 'verify', folder);
    expect(out).to.include(`missing: ${resolveId(first)} of publication `);
    expect(err).to.equal('pinfold: the export is not sound: 3 faults\n');
    await rm(second);
    await mkdir(second);
    const { failures } = (await verify()).report;
    expect(failures.join()).to.match(new RegExp(`^archive ${resolveId(second)} cannot be read`));
  });

  it('names a damaged or missing file of records, and checks the rest', async () => {
    const [name = ''] = await readdir(join(folder, 'records'));
    const file = join(folder, 'records', name);
    await appendFile(file, '\n');
    const damaged = await verify();
    expect([damaged.code, damaged.report.failures]).to.deep.equal([
      1,
      [`records/${name} does not match the manifest`],
    ]);
    expect(damaged.report.superfluous).to.equal(3);
    await rm(file);
    const gone = await verify();
    expect([gone.code, gone.report.failures]).to.deep.equal([1, [`records/${name} cannot be read (ENOENT)`]]);
  });

  it('counts archives without a record, which are not a problem, and does not read them', async () => {
    const [first = ''] = await archives();
    const id = resolveId(first).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const unnamed = first.replace(resolveId(first), id);
    await cp(first, unnamed);
    await truncate(unnamed, 8_000_000_000);
    const { code, report } = await verify();
    expect([code, report.superfluous]).to.deep.equal([0, 1]);
  });

  it('exits with 1 if there is no export, or only a part of one', async () => {
    await rm(join(folder, 'archives'), { recursive: true });
    const without = await verify();
    expect([without.code, without.report.missing.length]).to.deep.equal([1, 3]);
    await rm(join(folder, 'manifest.json'));
    for (const place of [folder, join(folder, 'none')]) {
      const { code, out, err } = await run(NOWHERE, 'verify', place, '--json');
      expect(failureOf({ code, out })).to.equal('1 unreadable');
      expect(err).to.include('there is no export');
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

  it('names each list of files that cannot be read, and still checks its archive', async () => {
    const lists = ['[1,[null]]', '[1,[[5]]]', '{}'];
    await replaceRecords(folder, (text) => {
      const changed = text
        .trimEnd()
        .split('\n')
        .map((line) => {
          const record = JSON.parse(line);
          if (record.record === 'publication') record.manifest = lists.pop();
          return JSON.stringify(record);
        });
      return `${changed.join('\n')}\n`;
    });
    const [first = ''] = await archives();
    await appendFile(first, 'x');
    const { code, report } = await verify();
    expect([code, report.failures.length, report.altered.length]).to.deep.equal([1, 3, 1]);
    for (const failure of report.failures)
      expect(failure).to.match(/the list of files of publication \S+ cannot/);
  });

  it('reports a name without its publication, which an import would refuse', async () => {
    const role = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
    const name = { account: 'one', name: 'docs', token: 'a'.repeat(22), role, updated_at: 1 };
    await replaceRecords(folder, (text) => `${text}${JSON.stringify({ record: 'name', ...name })}\n`);
    const { code, report } = await verify();
    expect([code, report.failures.length]).to.deep.equal([1, 1]);
    expect(report.failures[0]).to.include(`the name docs shows ${role}`);
  });

  it('reports incomplete records, and fewer than the manifest states', async () => {
    await replaceRecords(folder, (text) => text.trimEnd());
    expect((await verify()).report.failures[0]).to.include('the last line of the records is incomplete');
    await replaceRecords(folder, (text) => `${text}\n`);
    const { records } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    await alterManifest(folder, { records: [{ ...records[0], records: 1 }] });
    const { code, report } = await verify();
    expect([code, report.failures[0]]).to.deep.equal([1, `${records[0].file} does not match the manifest`]);
  });

  it('reads however many archives the manifest names as broken', async () => {
    const [first = ''] = await archives();
    await alterManifest(folder, { broken: new Array(200_000).fill(resolveId(first)) });
    expect((await verify()).code).to.equal(0);
  });

  it('refuses what is too large to read, without reading it', async () => {
    const [records = ''] = await readdir(join(folder, 'records'));
    const [first = ''] = await archives();
    await truncate(first, 8_000_000_000);
    const failures = [
      `archive ${resolveId(first)} is over a gigabyte, more than any publication can have`,
      `this is not an export: records/${records} is over 128 MiB`,
    ];
    expect((await verify()).report.failures).to.deep.equal([failures[0]]);
    await truncate(join(folder, 'records', records), 3_000_000_000);
    const { code, report } = await verify();
    expect([code, report.failures]).to.deep.equal([1, [failures[1]]]);
    await truncate(join(folder, 'manifest.json'), 3_000_000_000);
    expect((await run(NOWHERE, 'verify', folder)).err).to.include('manifest.json is over 128 MiB');
  });

  it('neither waits for a pipe nor reads a device instead of a file', async function () {
    if (process.platform === 'win32') this.skip();
    const [name = ''] = await readdir(join(folder, 'records'));
    const records = join(folder, 'records', name);
    await rm(records);
    execFileSync('mkfifo', [records]);
    await rm(join(folder, 'archives'), { recursive: true });
    await writeFile(join(folder, 'archives'), '');
    const { code, report } = await verify();
    expect([code, report.failures]).to.deep.equal([
      1,
      [`records/${name} is not a file`, 'archives is not a folder'],
    ]);
    const manifest = join(folder, 'manifest.json');
    await rm(manifest);
    execFileSync('mkfifo', [manifest]);
    expect((await run(NOWHERE, 'verify', folder)).err).to.include('manifest.json is not a file');
    await rm(manifest);
    await symlink('/dev/zero', manifest);
    expect((await run(NOWHERE, 'verify', folder)).err).to.include('manifest.json is not a file');
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

    it('finds no problems in a correct tar', async () => {
      const { code, out } = await verifyTar(tar);
      expect([code, JSON.parse(out).named]).to.deep.equal([0, 3]);
    });

    it('refuses records and archives that are too large, before it reads them', async () => {
      const bytes = await readFile(tar);
      const sized = (size: number, at: number): Buffer => {
        const head = Buffer.from(bytes.subarray(0, at + 512));
        head.write(`${size.toString(8).padStart(11, '0')}\0`, at + 124, 'latin1');
        head.write(' '.repeat(8), at + 148, 'latin1');
        const sum = head.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
        head.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1');
        return head;
      };
      await writeFile(stage.at('large.tar'), sized(500_000_000, 0));
      expect((await verifyTar(stage.at('large.tar'))).out).to.include('is over 128 MiB');
      await writeFile(stage.at('large.tar'), sized(8_000_000_000, bytes.indexOf('archives/')));
      expect((await verifyTar(stage.at('large.tar'))).out).to.include('is over a gigabyte');
    });

    it('exits with 1 if the tar is truncated, or a byte of an archive differs', async () => {
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
