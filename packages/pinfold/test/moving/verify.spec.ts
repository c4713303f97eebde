import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type ArchiveId, after, before, hours, instant } from '@pinfold/core';
import { archiveIdOf } from '@pinfold/core/adapter';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { VerifiedStores } from '../../src/moving/check.ts';
import { archivePath } from '../../src/moving/export-form.ts';
import { run } from '../command-run.ts';
import { archivesOf, loseArchive, openStage, removeArchive, succeed } from './stage.ts';

describe('pinfold verify', () => {
  const stage = ofEachTest(openStage);

  const place = (id: string): string => stage.at('one', archivePath(id as ArchiveId));

  async function verify(...args: readonly string[]) {
    const { code, out } = await run(stage.env('one'), 'verify', '--json', ...args);
    const { missing, altered, ...found } = JSON.parse(out) as VerifiedStores;
    const idsOf = (named: VerifiedStores['missing']) => named.map(({ archive }) => archive);
    return { code, missing: idsOf(missing), altered: idsOf(altered), ...found };
  }

  it('finds no problems in correct stores', async () => {
    await stage.stock('one', 3);
    const found = { named: 3, read: 3, missing: [], altered: [], removed: [], superfluous: [], young: 0 };
    expect(await verify()).to.deep.equal({ code: 0, ...found });
    const { out } = await succeed(stage.env('one'), 'verify');
    expect(out).to.equal(
      '3 archives of publications, of which 3 were read; 0 more are younger than a day and have no publication yet\n',
    );
  });

  it('names missing archives, and exits with 1', async () => {
    await stage.stock('one', 3);
    const [, gone = ''] = await archivesOf(stage.env('one'));
    await rm(place(gone));
    for (const args of [[], ['--sample', '0']]) {
      expect(await verify(...args), args.join(' ')).to.deep.include({
        code: 1,
        missing: [gone],
        altered: [],
      });
    }
    const report = await run(stage.env('one'), 'verify');
    expect(report.out).to.match(new RegExp(`^missing: ${gone} of publication [0-9a-f-]{36}$`, 'm'));
    expect(report.err).to.include('missing, altered, removed or superfluous: 1 archive\n');
  });

  it('accepts that the archive of an ended publication is gone, as after a killed cleanup; so does an export', async () => {
    await stage.stock('one', 2);
    const [gone = ''] = await archivesOf(stage.env('one'));
    await rm(place(gone));
    const { out } = await run(stage.env('one'), 'verify');
    const [, pin = ''] = out.match(/^missing: .* of publication (\S+)$/m) ?? [];
    await succeed(stage.env('one'), 'pins', 'stop', pin);
    expect(await verify()).to.deep.include({ code: 0, named: 1, missing: [], removed: [] });
    await succeed(stage.env('one'), 'export', '--verify', '2', stage.at('out'));
    await succeed(stage.env('two'), 'import', stage.at('out'));
    await succeed(stage.env('two'), 'verify');
  });

  it('names removed archives of publications in service, and exits with 1', async () => {
    await stage.stock('one', 3);
    const [lost, ended] = await archivesOf(stage.env('one'));
    const pin = await loseArchive(stage.env('one'), lost as ArchiveId);
    await removeArchive(stage.env('one'), ended as ArchiveId);
    const removed = [{ archive: lost, pin }];
    expect(await verify()).to.deep.include({ code: 1, named: 1, missing: [], removed });
    expect(await verify('--sample', '0')).to.deep.include({ code: 1, removed });
    const { out } = await run(stage.env('one'), 'verify');
    expect(out).to.include(`removed, though in service: ${lost} of publication ${pin}\n`);
    const cleaned = await run(stage.env('one'), 'cleanup', '--dry-run');
    expect(cleaned.out).to.include(`in service without its archive: publication ${pin}\n`);
  });

  it('names archives that the storage cannot read', async () => {
    await stage.stock('one', 2);
    const [unread = ''] = await archivesOf(stage.env('one'));
    await rm(place(unread));
    await mkdir(place(unread));
    const { code, err } = await run(stage.env('one'), 'verify');
    expect(code).to.equal(1);
    expect(err).to.match(new RegExp(`^pinfold: archive ${unread} cannot be read: `));
    expect((await run(stage.env('one'), 'export', stage.at('out'))).err).to.equal(err);
  });

  const CHANGES: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    'a byte of a file': (bytes) =>
      Buffer.concat([bytes.subarray(0, 60), Buffer.from('!'), bytes.subarray(61)]),
    'a byte of its directory': (bytes) =>
      Buffer.concat([bytes.subarray(0, -30), Buffer.from('!'), bytes.subarray(-29)]),
    'a byte more': (bytes) => Buffer.concat([bytes, Buffer.from('!')]),
    'a byte less': (bytes) => bytes.subarray(0, -1),
    'no bytes': () => Buffer.alloc(0),
  };

  it('names altered archives', async () => {
    await stage.stock('one', 2);
    const [altered = ''] = await archivesOf(stage.env('one'));
    const whole = await readFile(place(altered));
    for (const [what, change] of Object.entries(CHANGES)) {
      await writeFile(place(altered), change(whole));
      const found = await verify();
      expect(found, what).to.deep.include({ code: 1, missing: [], altered: [altered], read: 2 });
    }
  });

  it('names archives without a record that are over a day old, and accepts younger ones', async () => {
    await stage.stock('one', 1);
    const [archiveId = ''] = await archivesOf(stage.env('one'));
    const bytes = await readFile(place(archiveId));
    const now = instant(Date.now());
    const young = archiveIdOf(after(before(now, hours(24)), hours(1)), crypto.randomUUID());
    const old = archiveIdOf(before(now, hours(25)), crypto.randomUUID());
    for (const id of [young, old]) {
      await mkdir(place(id).slice(0, -id.length), { recursive: true });
      await writeFile(place(id), bytes);
    }
    expect(await verify()).to.deep.include({ code: 1, superfluous: [old], young: 1, missing: [] });
    await rm(place(old));
    expect(await verify()).to.deep.include({ code: 0, superfluous: [], young: 1 });
  });

  it('reads no more than its sample', async () => {
    await stage.stock('one', 4);
    expect(await verify('--sample', '2')).to.deep.include({ code: 0, named: 4, read: 2 });
    expect(await verify('--sample', '9')).to.deep.include({ code: 0, read: 4 });
    expect((await run(stage.env('one'), 'verify', '--sample', 'some')).code).to.equal(2);
  });
});
