import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import {
  COMMAND,
  type Env,
  endOf,
  failureOf,
  run,
  spawnCommand,
  spawnWithSmallFiles,
} from '../command-run.ts';
import { type Served, SHELLS, serve } from '../servers/served.ts';
import { startStub } from '../servers/stub.ts';

/** One and a half MiB that no deflate makes smaller. */
const NOISE = randomBytes(1.5 * 1_048_576);

describe('saving the ZIP of a publication', () => {
  let served: Served;
  let folder: string;
  let zip: Uint8Array;
  let id: string;

  before(async () => {
    ({ bytes: zip } = await packFiles([
      { path: 'index.html', bytes: Buffer.from('<title>x</title>') },
      { path: 'noise.bin', bytes: NOISE },
    ]));
  });

  beforeEach(async () => {
    served = await serve();
    const file = await served.write('original.zip', zip);
    ({ id } = (await served.json('publish', file, '--title', 'x')).pin);
    folder = join(served.folder, 'saved');
    await mkdir(folder);
  });

  const sha256 = () => createHash('sha256').update(zip).digest('hex');
  const files = () => readdir(folder);

  for (const [way, shellOf] of Object.entries(SHELLS)) {
    describe(way, () => {
      it('writes exactly the published bytes to a new file', async () => {
        const shell = shellOf(served);
        const file = join(folder, 'site.zip');
        const { code, out, err } = await shell.run('save', id, file);
        expect([code, err]).to.deep.equal([0, '']);
        expect(out).to.equal(`${id} was saved in ${file} (1.5 MiB).\n`);
        expect(Buffer.compare(await readFile(file), zip)).to.equal(0);
        const other = join(folder, 'other.zip');
        expect(await shell.json('save', id, other)).to.deep.equal({
          id,
          file: other,
          bytes: zip.length,
          sha256: sha256(),
        });
        expect(await files()).to.have.members(['site.zip', 'other.zip']);
      });

      it('keeps an existing file without --force, and replaces it with --force', async () => {
        const shell = shellOf(served);
        const file = join(folder, 'site.zip');
        await writeFile(file, 'mine');
        expect(failureOf(await shell.run('save', id, file, '--json'))).to.equal('1 cannot_write');
        expect(await readFile(file, 'utf8')).to.equal('mine');
        expect((await shell.run('save', id, file, '--force')).code).to.equal(0);
        expect(Buffer.compare(await readFile(file), zip)).to.equal(0);
        expect(await files()).to.deep.equal(['site.zip']);
      });

      it('reports why there is no ZIP', async () => {
        const shell = shellOf(served);
        const file = join(folder, 'site.zip');
        expect(
          failureOf(await shell.run('save', '00000000-0000-4000-8000-000000000000', file, '--json')),
        ).to.equal('1 not_found');
        await shell.run('stop', id);
        const stopped = await shell.run('save', id, file, '--json');
        expect(failureOf(stopped)).to.equal('1 invalid_state');
        expect(stopped.err).to.include('can no longer be downloaded');
        expect(await files()).to.deep.equal([]);
      });
    });
  }

  it('names the file after the id by default, and accepts shared URLs', async () => {
    const env = { ...served.remote, INIT_CWD: folder, npm_lifecycle_event: 'pinfold' };
    const { code, out } = await run(env, 'save', `${served.url}/s/${id}`);
    expect([code, out]).to.deep.equal([0, `${id} was saved in ${id}.zip (1.5 MiB).\n`]);
    const file = join(folder, `${id}.zip`);
    expect(Buffer.compare(await readFile(file), zip)).to.equal(0);
  });

  it('writes only the ZIP to standard output with -', async () => {
    const child = spawnCommand(served.remote, 'save', id, '-');
    const pieces: Buffer[] = [];
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
    const [code] = await once(child, 'close');
    expect(code).to.equal(0);
    expect(Buffer.compare(Buffer.concat(pieces), zip)).to.equal(0);
    for (const args of [['--json'], []]) {
      const { code: wrong, err } = await run(served.remote, 'save', id, '-', ...args);
      expect(wrong, err).to.equal(2);
    }
  });

  it('does not replace a folder, and follows a link to a file', async () => {
    const subfolder = join(folder, 'a-folder');
    await mkdir(subfolder);
    expect((await run(served.remote, 'save', id, subfolder, '--force')).code).to.equal(1);
    const file = join(folder, 'site.zip');
    await writeFile(file, 'old');
    await symlink(file, join(subfolder, 'link.zip'));
    expect((await run(served.remote, 'save', id, join(subfolder, 'link.zip'), '--force')).code).to.equal(0);
    expect(Buffer.compare(await readFile(file), zip)).to.equal(0);
    expect(await readdir(subfolder)).to.deep.equal(['link.zip']);
    expect(
      failureOf(await run(served.remote, 'save', id, join(folder, 'none', 'site.zip'), '--json')),
    ).to.equal('1 cannot_write');
  });

  it('accepts the longest file name of the system, and names a missing folder', async () => {
    const longest = `${'長'.repeat(83)}.zip`;
    const { code, err } = await run(served.remote, 'save', id, join(folder, longest));
    expect([code, err]).to.deep.equal([0, '']);
    expect(await files()).to.deep.equal([longest]);
    for (const [file, reason] of [
      [join(folder, 'none', 'site.zip'), `there is no folder ${join(folder, 'none')}`],
      [`${join(folder, 'none')}/`, `${join(folder, 'none')}/ is not a file: give the path of a file`],
      [folder, `${folder} is not a file: give the path of a file`],
    ] as const) {
      const refused = await run(served.remote, 'save', id, file);
      expect([refused.code, refused.err]).to.deep.equal([1, `pinfold: ${reason}\n`]);
    }
    expect(await files()).to.deep.equal([longest]);
  });

  it('keeps the permissions of a file that it replaces', async function () {
    if (process.platform === 'win32') this.skip();
    const file = join(folder, 'site.zip');
    await writeFile(file, 'mine', { mode: 0o600 });
    expect((await run(served.remote, 'save', id, file, '--force')).code).to.equal(0);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  // Only Linux has a disk that is always full.
  if (process.platform === 'linux')
    it('reports in one line that standard output cannot be written', async () => {
      const full = openSync('/dev/full', 'w');
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), 'save', id, '-'], {
        env: { ...process.env, ...served.remote },
        stdio: ['ignore', full, 'pipe'],
      });
      if (child.stderr === null) throw new Error('there is no standard error');
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
      closeSync(full);
      expect([code, err]).to.deep.equal([1, 'pinfold: ENOSPC: no space left on device, write\n']);
    });

  it('leaves nothing if the system limits the size of the file', async () => {
    const args = ['save', id, join(folder, 'site.zip'), '--json'];
    expect(failureOf(await endOf(spawnWithSmallFiles(served.remote, 1_024, ...args)))).to.equal(
      '1 cannot_write',
    );
    expect(await files()).to.deep.equal([]);
  });

  it('needs a file name from the operator, and saves a publication in any state', async () => {
    expect((await served.run('pins', 'save', id)).code).to.equal(2);
    await served.run('stop', id);
    const file = join(folder, 'evidence.zip');
    const { code, err } = await served.run('pins', 'save', id, file);
    expect([code, err]).to.deep.equal([0, '']);
    expect(Buffer.compare(await readFile(file), zip)).to.equal(0);
    const { events } = await served.json('history', '--pin', id);
    expect(events[0]).to.deep.include({ type: 'pin.archive_read', pin: id });
    await served.run('pins', 'takedown', id, '--reason', 'x', '--purge');
    expect(failureOf(await served.run('pins', 'save', id, join(folder, 'late.zip'), '--json'))).to.equal(
      '1 invalid_state',
    );
    expect(await files()).to.deep.equal(['evidence.zip']);
  });

  describe('from a server that misbehaves', () => {
    /** Starts a server that answers every request with the headers of the ZIP and the bytes that `send` writes. */
    async function openServer(send: (response: ServerResponse) => void): Promise<Env> {
      const headers = {
        'content-type': 'application/zip',
        'content-length': zip.length,
        etag: `"${sha256()}"`,
      };
      const { url } = await startStub((_, response) => send(response.writeHead(200, headers)));
      return { PINFOLD_URL: url, PINFOLD_KEY: served.key };
    }

    const save = (env: Env, ...more: string[]) =>
      run(env, 'save', id, join(folder, 'site.zip'), '--json', ...more);

    it('leaves nothing if other bytes arrive', async () => {
      const env = await openServer((response) => response.end(zip.with(-1, 1)));
      expect(failureOf(await save(env))).to.equal('1 unreadable');
      expect(await files()).to.deep.equal([]);
    });

    it('keeps an existing file, and creates no other, if only half of the bytes arrive', async () => {
      await writeFile(join(folder, 'site.zip'), 'mine');
      const env = await openServer((response) => {
        response.write(zip.subarray(0, 1_000_000));
        setTimeout(() => response.destroy(), 100);
      });
      expect(failureOf(await save(env, '--force'))).to.equal('3 unavailable');
      expect(await files()).to.deep.equal(['site.zip']);
      expect(await readFile(join(folder, 'site.zip'), 'utf8')).to.equal('mine');
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`leaves nothing if ${signal} ends it in the middle`, async () => {
        const env = await openServer((response) => response.write(zip.subarray(0, 1_000_000)));
        const child = spawnCommand(env, 'save', id, join(folder, 'site.zip'));
        while ((await files()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        child.kill(signal);
        expect((await once(child, 'close'))[0]).to.equal(signal === 'SIGINT' ? 130 : 143);
        expect(await files()).to.deep.equal([]);
      });
    }

    it('leaves no file of that name if it is killed in the middle', async () => {
      const env = await openServer((response) => response.write(zip.subarray(0, 1_000_000)));
      const child = spawnCommand(env, 'save', id, join(folder, 'site.zip'));
      while ((await files()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(await files())
        .to.have.lengthOf(1)
        .and.not.include('site.zip');
    });
  });
});
