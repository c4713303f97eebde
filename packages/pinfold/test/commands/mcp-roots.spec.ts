import promises, { mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join, posix, win32 } from 'node:path';
import { expect } from 'chai';
import type { CommandFailure } from '../../src/command-line/failures.ts';
import { isTooBroad, Roots } from '../../src/mcp/roots.ts';
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
    const pack = async () => Buffer.from((await roots.pack('site/site.zip')).bytes).toString();
    expect(await pack()).to.equal('public');
    const swap = async () => {
      await rename(join(root, 'site'), join(root, 'away'));
      await symlink(secret, join(root, 'site'));
    };
    promises.open = (...input) => swap().then(() => open(...input));
    syncBuiltinESMExports();
    expect(await pack().catch((error: Error) => error.message)).to.include('changed while it was opened');
    promises.open = open;
    await rm(join(root, 'site'));
    await rename(join(root, 'away'), join(root, 'site'));
    // The second call is for the file, between its check and its opening.
    let stats = 0;
    promises.stat = (async (...input: Parameters<typeof stat>) => {
      stats += 1;
      if (stats === 2) await swap();
      return stat(...input);
    }) as typeof stat;
    syncBuiltinESMExports();
    expect(await pack().catch((error: Error) => error.message)).to.include('changed while it was opened');
  });
});

describe('a folder without --root', () => {
  const outcomeOf = (current: string, home: string): Promise<string> =>
    new Roots([], current, home).pack('index.html').then(
      () => 'packed',
      (error: CommandFailure) => String(error.json?.code),
    );

  it('is refused if it contains the home folder, even through a symbolic link', async () => {
    const folder = await realpath(newFolder());
    const [users, disk] = [join(folder, 'users'), join(folder, 'disk')];
    const [home, site] = [join(users, 'grace'), join(users, 'grace', 'site')];
    await mkdir(users);
    await mkdir(join(disk, 'grace', 'site'), { recursive: true });
    await symlink(join(disk, 'grace'), home);
    for (const path of [folder, users, disk, home, site]) await writeFile(join(path, 'index.html'), 'x');
    for (const path of [folder, users, disk, home, join(disk, 'grace')])
      expect(await outcomeOf(path, home), path).to.equal('usage');
    expect(await outcomeOf(site, home)).to.equal('packed');
    expect(await outcomeOf(users, join(users, 'ada'))).to.equal('usage');
    expect(await outcomeOf(users, join(folder, 'userspace'))).to.equal('packed');
  });

  it('is refused by the rules of the system, including Windows', () => {
    const home = 'C:\\Users\\Grace';
    for (const folder of ['C:\\', 'D:\\', 'C:\\Users', 'c:\\users\\grace', '\\\\server\\share\\'])
      expect(isTooBroad(folder, [home], win32), folder).to.equal(true);
    for (const folder of ['C:\\Users\\Grace\\site', 'C:\\Users\\Gr', 'C:\\work', 'D:\\Users'])
      expect(isTooBroad(folder, [home], win32), folder).to.equal(false);
    expect(isTooBroad('/Users', ['/Users/grace'], posix)).to.equal(true);
    expect(isTooBroad('/Users/grace/..site', ['/Users/grace'], posix)).to.equal(false);
  });
});
