import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadOrCreateSecret } from '@pinfold/platform-node';
import { expect } from 'chai';

const run = promisify(execFile);
const loader = new URL('../src/secret-file.ts', import.meta.url).href;

describe('loadOrCreateSecret', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-secret-'));
    file = join(folder, 'secret');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('creates 256 random bits once, readable only for the owner, and leaves no other file', async () => {
    const secret = await loadOrCreateSecret(file);
    expect(Buffer.from(secret, 'base64url')).to.have.length(32);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder)).to.deep.equal(['secret']);
    expect(await loadOrCreateSecret(file)).to.equal(secret);
    expect(await loadOrCreateSecret(join(folder, 'of', 'another', 'secret'))).to.not.equal(secret);
  });

  it('returns the same secret to concurrent callers', async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, () => loadOrCreateSecret(file)));
    expect(new Set(secrets).size).to.equal(1);
    expect(await readdir(folder)).to.deep.equal(['secret']);
  });

  it('returns the same secret to processes that start at once', async () => {
    const script = `const { loadOrCreateSecret } = await import(${JSON.stringify(loader)});
      process.stdout.write(await loadOrCreateSecret(process.argv[1]));`;
    const starts = Array.from({ length: 3 }, () =>
      run(process.execPath, ['--input-type=module', '-e', script, file]),
    );
    const secrets = (await Promise.all(starts)).map(({ stdout }) => stdout);
    expect(new Set(secrets)).to.deep.equal(new Set([(await readFile(file, 'utf8')).trim()]));
  });

  it('uses a secret from the operator, and changes neither it nor its mode', async () => {
    const ownSecret = 'correct-horse-battery-staple-and-more';
    await writeFile(file, `${ownSecret}\n`);
    await chmod(file, 0o440);
    expect(await loadOrCreateSecret(file)).to.equal(ownSecret);
    expect((await stat(file)).mode & 0o777).to.equal(0o440);
  });

  it('refuses a file without a secret, and does not overwrite it', async () => {
    for (const text of ['', '\n', 'short', `${'x'.repeat(40)} ${'y'.repeat(40)}`, 'é'.repeat(40)]) {
      await writeFile(file, text);
      const error = await loadOrCreateSecret(file).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error);
      expect(await readFile(file, 'utf8')).to.equal(text);
    }
  });

  it('throws errors of the file system unchanged', async () => {
    await writeFile(file, '');
    const inFile = await loadOrCreateSecret(join(file, 'secret')).catch((error: unknown) => error);
    expect(inFile).to.have.property('code', 'ENOTDIR');
  });
});
