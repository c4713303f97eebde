import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { packFolder } from '@pinfold/client/node';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { unzipSync } from 'fflate';

describe('packFolder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-pack-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function write(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), path);
    }
  }

  it('packs the same files as packFiles, and enters no folder that is left out', async () => {
    await write('index.html', 'css/site.css', '.env.local', '.DS_Store', 'node_modules/a/b.js');
    await symlink('missing', join(folder, 'node_modules', 'broken'));
    await symlink('/etc/hostname', join(folder, 'css', 'link'));
    const { bytes, leftOut } = await packFolder(folder);
    expect(leftOut).to.deep.equal(['.env.local', 'css/link', 'node_modules/']);
    const paths = ['css/site.css', 'index.html'];
    const same = paths.map((path) => ({ path, bytes: new TextEncoder().encode(path) }));
    expect(bytes).to.deep.equal((await packFiles(same)).bytes);
  });

  it('rejects for a file name that is not UTF-8, and packs a name with a replacement character', async () => {
    await write('index.html', 'a/replaced \ufffd.txt');
    expect(Object.keys(unzipSync((await packFolder(folder)).bytes))).to.include('a/replaced \ufffd.txt');
    const latin1 = Buffer.concat([Buffer.from(join(folder, 'a/')), Buffer.from('gr\xf6\xdfe.txt', 'latin1')]);
    await writeFile(latin1, 'x');
    const error = await packFolder(folder).catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceOf(RangeError);
    expect((error as RangeError).message).to.equal('a/gr\ufffd\ufffde.txt is not named in UTF-8: rename it');
  });

  it('lists every folder that it leaves out, except those that tools leave beside a site', async () => {
    await write(
      'index.html',
      '.doctrees/index.doctree',
      'a/.buildinfo',
      '.vscode/settings.json',
      '.git/config',
    );
    expect((await packFolder(folder)).leftOut).to.deep.equal(['.git/', '.vscode/']);
  });

  it('packs dot files on request', async () => {
    await write('index.html', '.nojekyll', '.git/config', '.vscode/settings.json');
    const { bytes, leftOut } = await packFolder(folder, { dotFiles: true });
    expect(Object.keys(unzipSync(bytes))).to.deep.equal(['.nojekyll', '.vscode/settings.json', 'index.html']);
    expect(leftOut).to.deep.equal(['.git/']);
  });

  it('rejects for more than 1 GiB before it reads the file that is too much', async () => {
    for (const name of ['a.bin', 'b.bin', 'c.bin']) {
      await write(name);
      await truncate(join(folder, name), 600 * 1_048_576);
    }
    const opened: string[] = [];
    const read = async (file: string): Promise<Uint8Array> => {
      opened.push(basename(file));
      return new Uint8Array();
    };
    const error = await packFolder(folder, { read }).catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceOf(RangeError);
    expect(opened).to.have.length(1);
  });

  it('rejects if the folder does not exist', async () => {
    const error = await packFolder(join(folder, 'none')).catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'ENOENT');
  });
});
