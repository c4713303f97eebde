import promises, { mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { Roots } from '../../src/mcp/roots.ts';
import { newFolder } from '../servers/new-folder.ts';

describe('a file that changes between the check and the opening', () => {
  const { open, stat } = promises;
  afterEach(() => {
    Object.assign(promises, { open, stat });
    syncBuiltinESMExports();
  });

  it('is refused', async () => {
    const folder = await realpath(newFolder());
    const [root, secret] = [join(folder, 'root'), join(folder, 'secret')];
    await mkdir(join(root, 'site'), { recursive: true });
    await mkdir(secret);
    await writeFile(join(secret, 'site.zip'), 'secret');
    await writeFile(join(root, 'site', 'site.zip'), 'public');
    const roots = new Roots([root], folder);
    const packed = async () => Buffer.from((await roots.pack('site/site.zip')).bytes).toString();
    expect(await packed()).to.equal('public');
    const swap = async () => {
      await rename(join(root, 'site'), join(root, 'away'));
      await symlink(secret, join(root, 'site'));
    };
    promises.open = (...input) => swap().then(() => open(...input));
    syncBuiltinESMExports();
    expect(await packed().catch((error: Error) => error.message)).to.include('changed while it was opened');
    promises.open = open;
    await rm(join(root, 'site'));
    await rename(join(root, 'away'), join(root, 'site'));
    // The second is of the file, between its check and its opening.
    let stats = 0;
    promises.stat = (async (...input: Parameters<typeof stat>) => {
      stats += 1;
      if (stats === 2) await swap();
      return stat(...input);
    }) as typeof stat;
    syncBuiltinESMExports();
    expect(await packed().catch((error: Error) => error.message)).to.include('changed while it was opened');
  });
});
