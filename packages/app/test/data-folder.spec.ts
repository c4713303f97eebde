import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeDataFolder } from '../src/data-folder.ts';
import { createApp, readSettings, SettingsError } from '../src/index.ts';

describe('a start whose data folder cannot be made or written', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-data-folder-'));
    await writeFile(join(folder, 'file'), '');
  });
  after(() => rm(folder, { recursive: true }));

  async function refusal(dataDir: string): Promise<unknown> {
    const settings = readSettings({ PINFOLD_DATA_DIR: dataDir, PINFOLD_PORT: '0' });
    return await createApp(settings, { log: () => undefined }).catch((error: unknown) => error);
  }

  it('names the variable in one line, where a file is in the way', async () => {
    const error = await refusal(join(folder, 'file', 'data'));
    expect(error).to.be.instanceOf(SettingsError).with.property('variable', 'PINFOLD_DATA_DIR');
  });

  it('names the variable in one line, where the file system takes no folders', async () => {
    const error = await refusal('/proc/pinfold/data');
    expect(error).to.be.instanceOf(SettingsError).with.property('variable', 'PINFOLD_DATA_DIR');
  });

  for (const code of ['EROFS', 'EACCES']) {
    it(`names the variable and the folder in one line, each once, where nothing can be written (${code})`, async () => {
      const refuse = (): Promise<void> => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
      const error = await makeDataFolder(folder, refuse).catch((reason: unknown) => reason);
      if (!(error instanceof SettingsError)) throw error;
      const { message, variable } = error;
      expect(variable).to.equal('PINFOLD_DATA_DIR');
      expect(message)
        .to.include(code)
        .and.match(/^[^\n]+$/);
      for (const once of [variable, JSON.stringify(folder)]) expect(message.split(once)).to.have.length(2);
    });
  }
});
