import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ArchiveId } from '@pinfold/core';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { compose } from '../../src/compose/compose.ts';
import { archivePath } from '../../src/moving/export-form.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { COMMAND, run, runProcess } from '../command-run.ts';
import {
  alterManifest,
  archivesOf,
  hashFiles,
  loseArchive,
  openStage,
  removeFirstArchive,
  succeed,
} from './stage.ts';

describe('pinfold export and import', () => {
  const stage = ofEachTest(openStage);

  it('move everything through a folder, so that a second export is the same byte for byte', async () => {
    const env = await stage.stock('one', 3);
    const done = await succeed(env, 'export', stage.at('first'));
    expect(done.err).to.match(/^exported: \d+ records, 3 archives, 3 of them new$/m);
    await succeed(stage.env('two'), 'import', stage.at('first'));
    await succeed(stage.env('two'), 'export', stage.at('second'));
    const [first, second] = await Promise.all(['first', 'second'].map((name) => hashFiles(stage.at(name))));
    expect(second).to.deep.equal(first);
    expect(Object.keys(first ?? {})).to.have.lengthOf(3 + 2);
    await succeed(stage.env('two'), 'verify');
  });

  it('record when a scheduled export was complete, and change nothing else', async () => {
    const env = await stage.stock('one', 2);
    const lastExport = async (): Promise<number | undefined> => {
      const { ports, close } = await compose(readSettings(env));
      const at = await ports.snapshot.lastScheduledExport();
      await close();
      return at;
    };
    await succeed(env, 'export', stage.at('plain'));
    expect(await lastExport(), 'after one by hand').to.equal(undefined);
    const begun = Date.now();
    const done = await succeed(env, 'export', stage.at('nightly'), '--scheduled');
    expect(done.err).to.match(/^exported: \d+ records, 2 archives, 2 of them new$/m);
    const first = await lastExport();
    expect(first).to.be.within(begun, Date.now());
    expect(await hashFiles(stage.at('nightly'))).to.deep.equal(await hashFiles(stage.at('plain')));
    await writeFile(stage.at('a-file'), '');
    expect((await run(env, 'export', stage.at('a-file'), '--scheduled')).code, 'one that fails').to.equal(1);
    expect(await lastExport()).to.equal(first);
    await pipe('pinfold export - --scheduled | cat > /dev/null', env, '');
    expect(await lastExport(), 'a tar, too').to.be.greaterThan(first ?? Number.NaN);
  });

  it('make the folder readable only for its owner', async () => {
    const env = await stage.stock('one', 1);
    await mkdir(stage.at('out'), { mode: 0o755 });
    await succeed(env, 'export', stage.at('out'));
    expect((await stat(stage.at('out'))).mode & 0o777).to.equal(0o700);
    const [records = ''] = await readdir(stage.at('out', 'records'));
    expect((await stat(stage.at('out', 'records', records))).mode & 0o777).to.equal(0o600);
  });

  it('update a folder: keep existing archives, and remove those that two exports do not name', async () => {
    const env = await stage.stock('one', 3);
    await succeed(env, 'export', stage.at('out'));
    const gone = await removeFirstArchive(env);
    const again = await succeed(env, 'export', stage.at('out'));
    expect(again.err).to.include('2 archives, 0 of them new');
    expect(await exportedIn('out')).to.have.lengthOf(3);
    await succeed(stage.env('of the first'), 'import', stage.at('out'));
    expect(await archivesOf(stage.env('of the first'))).not.to.include(gone);
    await succeed(env, 'export', stage.at('out'));
    await succeed(env, 'export', stage.at('afresh'));
    expect(await hashFiles(stage.at('out'))).to.deep.equal(await hashFiles(stage.at('afresh')));
  });

  it('keep an archive that two exports do not name while its publication is in service, and exit with 1', async () => {
    const env = await stage.stock('one', 3);
    await succeed(env, 'export', stage.at('out'));
    const before = await exportedIn('out');
    const [removed = '', missing = ''] = await archivesOf(env);
    const pin = await loseArchive(env, removed as ArchiveId);
    await rm(stage.at('one', archivePath(missing as ArchiveId)));
    for (let night = 1; night <= 3; night += 1) {
      const { code, err } = await run(env, 'export', stage.at('out'));
      expect(code).to.equal(1);
      expect(err).to.include(`in service without its archive: ${pin}\n`);
      expect(err).to.include('in service without its archive: 2 publications; everything else is done\n');
      expect(await exportedIn('out')).to.deep.equal(before);
    }
    const json = await run(env, 'export', '--json', stage.at('out'));
    expect(JSON.parse(json.out)).to.deep.include({ archives: 2, broken: [] });
    expect(JSON.parse(json.out).withoutArchive).to.have.lengthOf(2).and.include(pin);
    const { ports, close } = await compose(readSettings(env));
    const loaded = await ports.roles.load(pin);
    if (loaded === undefined) throw new Error('a role is not there');
    await ports.roles.save({ ...loaded.value, deletedAt: loaded.value.publishedAt }, loaded.version, []);
    await close();
    await run(env, 'export', stage.at('out'));
    expect(await exportedIn('out'), 'of a stopped publication').to.have.lengthOf(2);
  });

  const exportedIn = async (folder: string): Promise<readonly string[]> =>
    Object.keys(await hashFiles(stage.at(folder, 'archives')));

  it('move everything through a pipe, as a tar of the same files', async () => {
    const env = await stage.stock('one', 3, 300_000);
    await succeed(env, 'export', stage.at('folder'));
    await pipe(`mkdir "$OUT"; pinfold export - | tar -x -C "$OUT"`, env, stage.at('folder two'));
    expect(await hashFiles(stage.at('folder two'))).to.deep.equal(await hashFiles(stage.at('folder')));
    await pipe(`pinfold export - | PINFOLD_DATA_DIR="$OUT" pinfold import -`, env, stage.at('three'));
    await succeed(stage.env('three'), 'export', stage.at('folder three'));
    expect(await hashFiles(stage.at('folder three'))).to.deep.equal(await hashFiles(stage.at('folder')));
  });

  it('move a database without records through a pipe, too', async () => {
    await (await compose(readSettings(stage.env('one')))).close();
    await pipe(
      `pinfold export - | PINFOLD_DATA_DIR="$OUT" pinfold import -`,
      stage.env('one'),
      stage.at('two'),
    );
    await succeed(stage.env('two'), 'verify');
  });

  it('refuse a database with records of its own, and change nothing there', async () => {
    const env = await stage.stock('one', 1);
    await succeed(env, 'export', stage.at('out'));
    const refused = await run(env, 'import', stage.at('out'));
    expect(refused).to.deep.include({ code: 1 });
    expect(refused.err).to.include('the database has records of its own');
    await succeed(env, 'verify');
    await succeed(env, 'keys', 'create');
  });

  it('refuse a folder with an export of another database, and leave it unchanged', async () => {
    await succeed(await stage.stock('one', 2), 'export', stage.at('out'));
    const before = await hashFiles(stage.at('out'));
    for (const [name, count] of Object.entries({ empty: 0, other: 1 })) {
      const refused = await run(await stage.stock(name, count), 'export', stage.at('out'));
      expect(refused, name).to.deep.include({ code: 1 });
      expect(refused.err).to.include('knows none of its 2 publications');
      expect(await hashFiles(stage.at('out'))).to.deep.equal(before);
    }
    await writeFile(stage.at('out', 'manifest.json'), '{');
    const { code, err } = await run(stage.env('one'), 'export', stage.at('out'));
    expect([code, err]).to.deep.equal([
      1,
      `pinfold: ${stage.at('out')} holds an export that cannot be read (the manifest of the export is damaged); name another folder\n`,
    ]);
  });

  it('refuse an invalid or incomplete export before any change', async () => {
    const env = stage.env('empty');
    expect((await run(env, 'import', stage.at('nowhere'))).err).to.include('there is no export');
    await succeed(await stage.stock('one', 1), 'export', stage.at('out'));
    const manifest = stage.at('out', 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    const wrong = {
      'a newer release made this export': text.replace('"version": 1', '"version": 2'),
      'this is not an export': text.replace('pinfold-export', 'something'),
      'the manifest of the export is damaged': text.replace('"records/', '"../records/'),
    };
    for (const [words, changed] of Object.entries(wrong)) {
      await writeFile(manifest, changed);
      expect((await run(env, 'import', stage.at('out'))).err).to.include(words);
    }
    await writeFile(manifest, text);
    await succeed(env, 'keys', 'create');
  });

  it('leave an import with damaged records unfinished, and no server or command opens it', async () => {
    await succeed(await stage.stock('one', 2), 'export', stage.at('out'));
    const [name = ''] = await readdir(stage.at('out', 'records'));
    const file = stage.at('out', 'records', name);
    const records = await readFile(file, 'utf8');
    await writeFile(file, records.replace('"label":"of the test"', '"label":"of another"'));
    const env = stage.env('two');
    expect((await run(env, 'import', stage.at('out'))).err).to.include('does not match the manifest');
    const served = await runProcess(env, ['serve']);
    expect(served.code).to.equal(1);
    expect(served.err).to.include('an incomplete import');
    for (const args of [['keys', 'create'], ['cleanup'], ['verify'], ['export', stage.at('half')]]) {
      const refused = await run(env, ...args);
      expect(refused.code, args[0]).to.equal(1);
      expect(refused.err, args[0]).to.include('an incomplete import');
    }
    await writeFile(file, records);
    await succeed(env, 'import', stage.at('out'));
    await succeed(env, 'verify');
    await succeed(env, 'keys', 'create');
  });

  it('refuse an archive that differs from its record, and move all others', async () => {
    await succeed(await stage.stock('one', 2), 'export', stage.at('out'));
    const [id = '', other] = await archivesOf(stage.env('one'));
    const file = stage.at('out', archivePath(id as ArchiveId));
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes, Buffer.from('x')]));
    const env = stage.env('two');
    expect((await run(env, 'import', stage.at('out'))).err).to.include(`archive ${id} does not match`);
    expect(await archivesOf(env)).to.deep.equal([other]);
    await rm(file);
    expect((await run(env, 'import', stage.at('out'))).err).to.include(
      `archives are missing, ${id} among them`,
    );
    await writeFile(file, bytes);
    await succeed(env, 'import', stage.at('out'));
    await succeed(env, 'verify');
  });

  it('continue without an archive that the manifest lists as broken', async () => {
    await succeed(await stage.stock('one', 2), 'export', stage.at('out'));
    const [id = '', other = ''] = await archivesOf(stage.env('one'));
    await rm(stage.at('out', archivePath(id as ArchiveId)));
    const env = stage.env('two');
    expect((await run(env, 'import', stage.at('out'))).code).to.equal(1);
    await alterManifest(stage.at('out'), { broken: [id] });
    const { code, err } = await run(env, 'import', stage.at('out'));
    expect(code).to.equal(1);
    expect(err).to.include(id);
    expect(await archivesOf(env)).to.deep.equal([other]);
    await succeed(env, 'keys', 'create');
  });

  it('list archives that are broken at the source, and move everything else', async () => {
    const env = await stage.stock('one', 3);
    const [missing = '', altered = ''] = await archivesOf(env);
    const place = (id: string) => stage.at('one', archivePath(id as ArchiveId));
    await rm(place(missing));
    await writeFile(place(altered), 'no ZIP');
    const exported = await run(env, 'export', stage.at('out'), '--json');
    expect(exported.code).to.equal(1);
    expect(JSON.parse(exported.out)).to.deep.include({ archives: 1, broken: [missing, altered] });
    const imported = await run(stage.env('two'), 'import', stage.at('out'));
    expect(imported.code).to.equal(1);
    expect(imported.err).to.include(`broken: ${missing}`);
    const verified = await run(stage.env('two'), 'verify', '--json');
    const { named, missing: gone } = JSON.parse(verified.out);
    expect(named).to.equal(3);
    expect(gone.map(({ archive }: { readonly archive: string }) => archive)).to.deep.equal([
      missing,
      altered,
    ]);
  });

  it('refuse a folder with other files, and a tar on a terminal', async () => {
    const env = await stage.stock('one', 1);
    const refused = await run(env, 'export', stage.folder);
    expect(refused.err).to.include('contains other files than an export');
    expect((await run(env, 'export', '-')).err).to.include('cannot be shown on a terminal');
  });

  it('end with one line if no one reads, or nothing can be written', async () => {
    // More than the buffer of a pipe: otherwise all of it may be written before the reader leaves.
    const env = await stage.stock('one', 3, 300_000);
    const broken = await pipe('pinfold export - | head -c 10 > /dev/null', env, '').catch(
      (error: { readonly stderr: string }) => error.stderr,
    );
    expect(broken).to.equal('pinfold: standard output was closed\n');
    await writeFile(stage.at('file'), '');
    const refused = await run(env, 'export', stage.at('file', 'folder'));
    expect(refused.err).to.match(/^pinfold: ENOTDIR: [^\n]+\n$/);
    // Node's own recursive `mkdir` loops there for ever.
    expect((await run(env, 'export', '/proc/nowhere/at/all')).code).to.equal(1);
    for (const command of ['export', 'import']) {
      expect((await run(env, command, '')).err).to.include('FOLDER is missing');
    }
  });

  it('refuse a truncated tar, and continue with a complete one', async () => {
    const env = await stage.stock('one', 3, 300_000);
    await pipe(`pinfold export - > "$OUT.tar"`, env, stage.at('whole'));
    const tar = await readFile(stage.at('whole.tar'));
    for (const part of [0.3, 0.6, 0.99]) {
      await writeFile(stage.at('cut.tar'), tar.subarray(0, Math.floor(tar.length * part)));
      const cut = await pipe(
        `pinfold import - < "${stage.at('cut.tar')}"`,
        stage.env('two'),
        stage.at('two'),
      ).catch((error: { readonly stderr: string }) => error.stderr);
      expect(cut).to.match(/is not a complete tar|ends before its manifest/);
    }
    await pipe(`pinfold import - < "$OUT.tar"`, stage.env('two'), stage.at('whole'));
    await succeed(stage.env('two'), 'verify');
  });
});

/** Runs a shell command in which `pinfold` is the command, with a path for the output. */
async function pipe(line: string, env: Readonly<Record<string, string>>, out: string): Promise<string> {
  const words = COMMAND.map((word) => `'${word}'`).join(' ');
  const script = `set -o pipefail; pinfold() { ${words} "$@"; }; ${line}`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE, ...env, OUT: out } };
  return (await promisify(execFile)('bash', ['--norc', '-c', script], options)).stderr;
}
