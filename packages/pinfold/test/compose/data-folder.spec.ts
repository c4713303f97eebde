import { execFile } from 'node:child_process';
import { access, chmod, chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Fault } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { compose } from '../../src/compose/compose.ts';
import { createContainerLayer } from '../../src/compose/container.ts';
import { openDataFolder } from '../../src/compose/data-folder.ts';
import { createApp, readSettings, type Settings, type SettingsError } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';

describe('a start whose data folder cannot be created or written', () => {
  let folder: string;
  before(async () => {
    folder = newFolder();
    await writeFile(join(folder, 'file'), '');
  });

  for (const [why, pathIn] of [
    ['a file is in the way', (parent: string) => join(parent, 'file', 'data')],
    ['the file system accepts no folders', () => '/proc/pinfold/data'],
  ] as const) {
    it(`names the variable in one line if ${why}`, async () => {
      const settings = readSettings({ PINFOLD_DATA_DIR: pathIn(folder), PINFOLD_PORT: '0' });
      const { message, variable } = await settingsErrorOf(createApp(settings, { log: () => undefined }));
      expect(variable).to.equal('PINFOLD_DATA_DIR');
      expect(message).to.match(/^PINFOLD_DATA_DIR [^\n]+$/);
    });
  }

  it('names the variable in one line if archives and uploads are on different volumes', async () => {
    const crossDevice = new Fault('storage_unavailable', 'both must lie on one volume', {
      cause: Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' }),
    });
    const module = new ContainerModule(({ rebind }) => {
      rebind(tokens.archives).toDynamicValue(() => Promise.reject(crossDevice));
    });
    const settings = readSettings({ PINFOLD_DATA_DIR: join(folder, 'data') });
    const error = await settingsErrorOf(compose(settings, {}, createContainerLayer([module])));
    expect(error.cause).to.equal(crossDevice);
    expect(String(error)).to.match(/PINFOLD_DATA_DIR [^\n]+ one volume$/);
  });

  for (const code of ['EROFS', 'EACCES']) {
    it(`names the variable and the folder in one line, each once, if nothing can be written (${code})`, async () => {
      const refuse = (): Promise<void> => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
      const runner = { uid: process.geteuid?.(), access: refuse };
      const opening = openDataFolder(folder, 'created', runner);
      const { message, option, variable } = await settingsErrorOf(opening);
      expect([option, variable]).to.deep.equal(['dataDir', 'PINFOLD_DATA_DIR']);
      expect(message)
        .to.include(code)
        .and.match(/^[^\n]+$/);
      for (const part of ['PINFOLD_DATA_DIR', JSON.stringify(folder)])
        expect(message.split(part)).to.have.length(2);
    });
  }
});

describe('the data folder and the user who runs the server', () => {
  const isRoot = process.getuid?.() === 0;
  const self = process.getuid?.() ?? -1;
  /** An id that no user has on most systems; any other than root's would do. */
  const OTHER = 65_534;
  let folder: string;
  let data: string;

  beforeEach(async () => {
    folder = newFolder();
    await chmod(folder, 0o755);
    data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
  });

  afterEach(async () => {
    await chmod(data, 0o700);
  });

  /** The output of a separate process that opens the folder as a user. Only root can choose the user. */
  async function openAs(user: number): Promise<string> {
    const script = join(import.meta.dirname, '..', 'servers', 'open-as.ts');
    const args = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning', script];
    const { stdout } = await run(process.execPath, [...args, String(user), data], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return stdout;
  }

  it("is refused to root if it is another user's, in one line that names the user to run as", async () => {
    const runner = { uid: 0, access: () => Promise.resolve() };
    if (isRoot) await chown(data, OTHER, OTHER);
    const failure = isRoot
      ? await openAs(0)
      : await openDataFolder(data, 'refused', runner).catch(
          (error: Error) => `${error.name}: ${error.message}`,
        );
    expect(failure).to.match(/^SettingsError: PINFOLD_DATA_DIR [^\n]+$/);
    expect(failure)
      .to.include(JSON.stringify(data))
      .and.to.include(`--uid=${isRoot ? OTHER : self} `);
  });

  it("is accepted for root if it is root's", async () => {
    if (isRoot) expect(await openAs(0)).to.equal(data);
    else
      expect(await openDataFolder('/', 'refused', { uid: 0, access: () => Promise.resolve() })).to.equal('/');
  });

  it('is refused to users who cannot write in it, in one line that names the user to run as', async () => {
    // Other users than root cannot change their user, but can remove their own right to write.
    if (!isRoot) await chmod(data, 0o500);
    const failure = await openAs(isRoot ? OTHER : self);
    expect(failure).to.match(/^SettingsError: PINFOLD_DATA_DIR [^\n]+ \(EACCES\)[^\n]*$/);
    if (isRoot) expect(failure).to.include('--uid=0 ');
  });

  it("is accepted for users who can write in it, as in a pod with a volume of root's", async () => {
    await chmod(data, 0o777);
    const runner = { uid: OTHER, access };
    expect(isRoot ? await openAs(OTHER) : await openDataFolder(data, 'refused', runner)).to.equal(data);
  });

  it('is created only by a server: a command without one names the setting and creates nothing', async () => {
    const missing = join(folder, 'nowhere', 'data');
    const settings = readSettings({ PINFOLD_DATA_DIR: missing });
    await expectRefused(settings);
    expect(await readdir(folder)).to.deep.equal(['data']);
    expect(await openDataFolder(missing, 'created')).to.equal(missing);
  });

  it('must be a server’s or empty: a command creates nothing among other files', async () => {
    const settings = readSettings({ PINFOLD_DATA_DIR: data });
    await mkdir(join(data, 'other'));
    const { message } = await expectRefused(settings);
    expect(message).to.match(/^PINFOLD_DATA_DIR [^\n]+pinfold\.sqlite[^\n]+$/);
    expect(await readdir(data)).to.deep.equal(['other']);
    await rm(join(data, 'other'), { recursive: true });
    await (await compose(settings, { purpose: 'command' })).close();
    await (await compose(settings)).close();
    await (await compose(settings, { purpose: 'command' })).close();
  });

  it('may be empty if database and storage are elsewhere, but must contain archives otherwise', async () => {
    const PINFOLD_DATABASE_URL = 'postgres://pinfold@127.0.0.1:1/nowhere';
    const shared = { PINFOLD_DATA_DIR: data, PINFOLD_DATABASE_URL, PINFOLD_SECRET: 'x'.repeat(44) };
    await mkdir(join(data, 'other'));
    const { message } = await expectRefused(readSettings(shared));
    expect(message).to.match(/^PINFOLD_DATA_DIR [^\n]+"archives"[^\n]+$/);
    expect(await readdir(data)).to.deep.equal(['other']);
    const onlyS3 = readSettings({
      ...shared,
      PINFOLD_STORAGE_URL: 's3://sites?endpoint=http://127.0.0.1:1',
    });
    await expectRefused(onlyS3, 'PINFOLD_DATABASE_URL');
  });

  async function expectRefused(settings: Settings, variable = 'PINFOLD_DATA_DIR'): Promise<SettingsError> {
    const error = await settingsErrorOf(compose(settings, { purpose: 'command' }));
    expect(error.variable).to.equal(variable);
    return error;
  }
});

const run = promisify(execFile);
