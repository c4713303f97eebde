import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { endOf, failureOf, spawnCommand, spawnWithSmallFiles } from '../command-run.ts';
import { type Served, serve } from '../servers/served.ts';

const STOPPING = `--import=${new URL('../servers/stopped-at-write.ts', import.meta.url)}`;

describe('pinfold pins takedown --keep', () => {
  let served: Served;
  let folder: string;
  let id: string;

  beforeEach(async () => {
    served = await serve();
    folder = join(served.folder, 'evidence');
    id = await publish('same', '--account', 'ada', '--title', 'CV');
  });

  async function publish(text: string, ...options: readonly string[]): Promise<string> {
    const page = await served.write('page.html', text);
    return (await served.json('publish', page, ...options)).pin.id;
  }

  const takeDown = (...more: readonly string[]) =>
    served.run('pins', 'takedown', id, '--reason', 'Phishing', '--keep', folder, ...more);
  const files = () => readdir(folder).catch(() => []);
  const pinOf = async (pin: string) => (await served.json('pins', 'show', pin)).pin;
  const eventsOf = async (pin: string): Promise<readonly { type: string }[]> =>
    (await served.json('history', '--pin', pin)).events;

  async function archiveFiles(): Promise<readonly string[]> {
    const root = join(served.folder, 'data', 'archives');
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile() && /^\d{13}-/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
  }

  async function expectNothingDone(): Promise<void> {
    expect(await pinOf(id)).to.include({ state: 'published', taken_down: null });
    expect((await eventsOf(id)).map(({ type }) => type)).to.deep.equal(['pin.published']);
    expect(await archiveFiles(), 'the archive').to.have.length(1);
  }

  it('saves the ZIP, the record and the history only for the operator, and then takes down', async () => {
    const before = await pinOf(id);
    const { code, out, err } = await takeDown('--purge');
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.include(`${id} was taken down.`);
    expect((await files()).toSorted()).to.deep.equal([`${id}.events.json`, `${id}.json`, `${id}.zip`]);
    for (const file of await files()) expect((await stat(join(folder, file))).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    const sha256 = createHash('sha256').update(await readFile(join(folder, `${id}.zip`)));
    expect(sha256.digest('hex')).to.equal(before.sha256);
    const record = await readFile(join(folder, `${id}.json`), 'utf8');
    expect(JSON.parse(record)).to.deep.equal({ pin: before });
    expect(record).not.to.match(/idempotency|password_hash/i);
    const { events } = JSON.parse(await readFile(join(folder, `${id}.events.json`), 'utf8'));
    expect(events.map(({ type }: { type: string }) => type)).to.deep.equal(['pin.published']);
    const after = (await eventsOf(id)).map(({ type }) => type);
    expect(after).to.have.members(['pin.purged', 'pin.taken_down', 'pin.published']);
  });

  it('saves the files of each copy, too, if it takes copies down', async () => {
    const copy = await publish('same', '--account', 'grace');
    expect((await takeDown()).out).to.include(`${copy}, a copy, is still in service.`);
    expect(await files()).to.have.length(3);
    await rm(folder, { recursive: true });
    const { out, code } = await takeDown('--copies', '--purge');
    expect([code, out]).to.deep.equal([0, `${id} was taken down.\n${copy}, a copy, was taken down.\n`]);
    const names = [id, copy].flatMap((pin) => [`${pin}.events.json`, `${pin}.json`, `${pin}.zip`]);
    expect(await files()).to.have.members(names);
    expect(await pinOf(copy)).to.include({ state: 'deleted' });
  });

  it('saves and removes the archives of copies that an interrupted takedown has left', async () => {
    const copy = await publish('same', '--account', 'grace');
    await served.run('pins', 'takedown', id, '--reason', 'Phishing', '--copies');
    expect(await archiveFiles()).to.have.length(2);
    expect((await takeDown('--copies', '--purge')).code).to.equal(0);
    expect(await archiveFiles()).to.deep.equal([]);
    expect(await files()).to.include.members([`${id}.zip`, `${copy}.zip`]);
  });

  it('accepts an empty folder, and does nothing if it is not empty, not a folder or cannot be created', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'mine'), '');
    expect(failureOf(await takeDown('--json'))).to.equal('1 cannot_write');
    expect(await files()).to.deep.equal(['mine']);
    folder = join(folder, 'mine');
    expect((await takeDown()).code).to.equal(1);
    folder = join(served.folder, 'none', 'below');
    expect((await takeDown()).code).to.equal(1);
    await expectNothingDone();
    folder = join(served.folder, 'empty');
    await mkdir(folder);
    expect((await takeDown()).code).to.equal(0);
    expect(await files()).to.have.length(3);
  });

  it('reports an archive that is already removed, saves the rest and continues', async () => {
    await served.run('pins', 'takedown', id, '--reason', 'x', '--purge');
    const { code, err } = await takeDown('--purge');
    expect(code).to.equal(0);
    expect(err).to.include(`${id}: its archive is already removed`);
    expect(await files()).to.have.members([`${id}.events.json`, `${id}.json`]);
  });

  it('reports an archive that the storage has lost, saves the rest and continues', async () => {
    for (const archive of await archiveFiles()) await rm(archive);
    const { code, err } = await takeDown();
    expect(code).to.equal(0);
    expect(err).to.include(`${id}: the storage does not have its archive`).and.not.include('removed');
    expect(await files()).to.have.members([`${id}.events.json`, `${id}.json`]);
    expect(await pinOf(id)).to.include({ state: 'deleted' });
  });

  it('does nothing if one of the ids is unknown', async () => {
    const { code, err } = await takeDown('0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20');
    expect([code, err]).to.deep.equal([
      1,
      'pinfold: The evidence could not be saved, so nothing was taken down: there is no publication 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20.\n',
    ]);
    expect(await files()).to.deep.equal([]);
    await expectNothingDone();
  });

  it('does nothing if the storage is unavailable', async () => {
    const [archive = ''] = await archiveFiles();
    await rm(archive);
    // A folder cannot be read as a file.
    await mkdir(archive);
    const { code, err } = await takeDown('--purge');
    expect(code, err).to.equal(1);
    expect(err).to.include('nothing was taken down');
    expect(await files()).to.deep.equal([]);
    expect(await pinOf(id)).to.include({ state: 'published', taken_down: null });
  });

  it('does nothing if the system limits the size of a file', async () => {
    await served.run('stop', id);
    const { bytes } = await packFiles([
      { path: 'index.html', bytes: Buffer.from('x') },
      { path: 'noise', bytes: randomBytes(3 * 1_048_576) },
    ]);
    const file = await served.write('large.zip', bytes);
    id = (await served.json('publish', file)).pin.id;
    const args = ['pins', 'takedown', id, '--reason', 'x', '--purge', '--keep', folder];
    const { code, err } = await endOf(spawnWithSmallFiles(served.env, 1_024, ...args));
    expect(code, err).to.equal(1);
    expect(await files()).to.deep.equal([]);
    expect(await pinOf(id)).to.include({ state: 'published', taken_down: null });
  });

  describe('stopped while it writes', () => {
    const stopped = (by: string, at: number) =>
      endOf(
        spawnCommand(
          {
            ...served.env,
            ...{ NODE_OPTIONS: STOPPING, STOPPED_IN: folder, STOPPED_AT: String(at), STOPPED_BY: by },
          },
          ...['pins', 'takedown', id, '--reason', 'x', '--purge', '--keep', folder],
        ),
      );
    /** The folder; three files, each created, written, flushed and closed; the flush of the folder. */
    const STEPS = 1 + 3 * 4 + 1;

    const STOPS = ['ENOSPC', 'SIGTERM', 'SIGKILL'] as const;
    /** Interrupts each kind of step on a file once, on different files; the first and the last step by all causes. */
    const causesAt = (at: number) =>
      at === 1 || at === STEPS ? STOPS : STOPS.filter((_, n) => n === (at + Math.floor((at - 2) / 4)) % 3);

    for (let at = 1; at <= STEPS; at += 1) {
      it(`at step ${at} by ${causesAt(at).join(', ')}: takes nothing down, and leaves files only after SIGKILL`, async () => {
        for (const by of causesAt(at)) {
          const { code, err } = await stopped(by, at);
          if (by !== 'SIGKILL') {
            expect(code, err).to.equal(by === 'ENOSPC' ? 1 : 143);
            expect(await readdir(served.folder), by).not.to.include('evidence');
          }
        }
        await expectNothingDone();
      });
    }

    it('after the last step: everything is saved', async () => {
      const { code, err } = await stopped('ENOSPC', STEPS + 1);
      expect(code, err).to.equal(0);
      expect(await files()).to.have.length(3);
      expect(await pinOf(id)).to.include({ state: 'deleted' });
    });
  });
});
