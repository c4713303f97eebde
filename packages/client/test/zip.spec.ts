import { createHash, randomFillSync } from 'node:crypto';
import { type FileToPack, packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { Unzip, UnzipInflate, unzipSync } from 'fflate';

const CONTENT = new TextEncoder().encode('content');
const KEY = new TextEncoder().encode(
  '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n',
);
const CERTIFICATE = new TextEncoder().encode(
  '-----BEGIN CERTIFICATE-----\nMHcCAQEE\n-----END CERTIFICATE-----\n',
);
const OPENPGP_KEY = new TextEncoder().encode(
  '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBGWh\n-----END PGP PRIVATE KEY BLOCK-----\n',
);

/** As Windows PowerShell 5 writes the output of a program. */
function utf16(text: Uint8Array): Uint8Array {
  return Uint8Array.of(0xff, 0xfe, ...[...text].flatMap((byte) => [byte, 0]));
}

function files(...paths: readonly string[]): readonly FileToPack[] {
  return paths.map((path) => ({ path, bytes: CONTENT }));
}

async function packed(input: Iterable<FileToPack>, options = {}) {
  const { bytes, leftOut } = await packFiles(input, options);
  return { names: Object.keys(unzipSync(bytes)), leftOut };
}

/** Names and texts in the order of a ZIP: no JavaScript object could have them all. */
function inOrder(zip: Uint8Array): readonly (readonly [name: string, text: string])[] {
  const found: [string, string][] = [];
  const reader = new Unzip((file) => {
    file.ondata = (error, bytes) => {
      if (error !== null) throw error;
      found.push([file.name, new TextDecoder().decode(bytes)]);
    };
    file.start();
  });
  reader.register(UnzipInflate);
  reader.push(zip, true);
  return found;
}

describe('packFiles', () => {
  it('leaves out dot files, private keys and forbidden files, and lists each folder once', async () => {
    const { names, leftOut } = await packed([
      ...files(
        'index.html',
        '.well-known/security.txt',
        '.env',
        '.env.local',
        'a/.npmrc',
        '.ssh/id',
        '.ssh/config',
      ),
      ...files(
        'node_modules/a/b.js',
        'node_modules/c.js',
        'blog/TMP/x',
        'log',
        'keys/id_ed25519',
        'a.P12',
        'b.pfx',
      ),
      ...files('id_rsa-explained/index.html', 'id_rsa.pub', 'tmpl/a.html', '.well-known/.hidden'),
    ]);
    expect(names).to.deep.equal([
      '.well-known/security.txt',
      'id_rsa-explained/index.html',
      'id_rsa.pub',
      'index.html',
      'tmpl/a.html',
    ]);
    expect(leftOut).to.deep.equal([
      '.env',
      '.env.local',
      '.ssh/',
      '.well-known/.hidden',
      'a.P12',
      'a/.npmrc',
      'b.pfx',
      'blog/TMP/',
      'keys/id_ed25519',
      'log',
      'node_modules/',
    ]);
  });

  it('leaves out files that macOS adds, without listing them', async () => {
    const appleDouble = Uint8Array.of(0, 5, 0x16, 7, 0, 2, 0, 0);
    const input = [
      ...files('index.html', 'Icon\r', 'a/Icon\r', 'a/DESKTOP.INI'),
      { path: '._index.html', bytes: async () => appleDouble },
      { path: 'a/._Icon\r', bytes: appleDouble },
      { path: '._mine', bytes: CONTENT },
    ];
    expect(await packed(input)).to.deep.equal({ names: ['index.html'], leftOut: ['._mine'] });
    const { bytes } = await packFiles(input, { dotFiles: true });
    expect(Object.keys(unzipSync(bytes))).to.deep.equal(['._mine', 'index.html']);
  });

  it('leaves out private keys by their content, whatever their name', async () => {
    const input = [
      { path: 'deploy', bytes: KEY },
      { path: 'server.key', bytes: KEY },
      { path: 'logo.png', bytes: async () => KEY },
      { path: 'utf-16.txt', bytes: utf16(KEY) },
      { path: 'pgp.asc', bytes: OPENPGP_KEY },
      { path: 'ca.crt', bytes: CERTIFICATE },
      { path: 'talk.key', bytes: CONTENT },
    ];
    expect(await packed(input)).to.deep.equal({
      names: ['ca.crt', 'talk.key'],
      leftOut: ['deploy', 'logo.png', 'pgp.asc', 'server.key', 'utf-16.txt'],
    });
  });

  it('packs a .pem only of certificates and public keys, however long', async () => {
    const chain = Buffer.concat(Array.from({ length: 1_000 }, () => CERTIFICATE));
    const input = [
      { path: 'ca.pem', bytes: CERTIFICATE },
      { path: 'chain.pem', bytes: chain },
      { path: 'a/B.PEM', bytes: Buffer.concat([chain, KEY]) },
      { path: 'empty.pem', bytes: CONTENT },
    ];
    expect(await packed(input)).to.deep.equal({
      names: ['ca.pem', 'chain.pem'],
      leftOut: ['a/B.PEM', 'empty.pem'],
    });
  });

  it('packs dot files on request, except files that the server forbids or that usually hold secrets', async () => {
    const input = files('.env', '.env.local', '.git/config', '.ssh/id_rsa', '.nojekyll', 'index.html');
    expect(await packed(input, { dotFiles: true })).to.deep.equal({
      names: ['.nojekyll', 'index.html'],
      leftOut: ['.env', '.env.local', '.git/', '.ssh/id_rsa'],
    });
  });

  it('does not list files that tools leave beside a site', async () => {
    const input = files(
      'index.html',
      '.nojekyll',
      'a/.buildinfo',
      '.doctrees/x/index.doctree',
      '.nojekyll.key',
    );
    expect(await packed(input)).to.deep.equal({ names: ['index.html'], leftOut: ['.nojekyll.key'] });
  });

  it('does not list files that operating systems add', async () => {
    const input = files('index.html', '.DS_Store', 'a/Thumbs.db', 'desktop.ini', '__MACOSX/._index.html');
    expect(await packed(input)).to.deep.equal({ names: ['index.html'], leftOut: [] });
  });

  it('returns the same bytes for any order, day and time zone', async () => {
    const input = [
      ...files('b.html', '404', '1/z', 'ä/あ.txt', 'a.html'),
      { path: 'large.js', bytes: new TextEncoder().encode('let a = 1;\n'.repeat(9_999)) },
      { path: 'photo.jpg', bytes: CONTENT },
    ];
    const zone = process.env.TZ;
    const digests: string[] = [];
    for (const TZ of ['Pacific/Kiritimati', 'America/St_Johns', 'UTC']) {
      process.env.TZ = TZ;
      const { bytes } = await packFiles(digests.length === 0 ? input : input.toReversed());
      digests.push(createHash('sha256').update(bytes).digest('hex'));
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    const same = 'e62eb2d8dfacec0f3d5e37f78a566f176c47a792f230a254c4c4f5eb40bc856e';
    expect(digests).to.deep.equal([same, same, same]);
  });

  it('writes no data descriptors, which stream readers refuse after a stored file', async () => {
    const { bytes } = await packFiles([...files('index.html'), { path: 'photo.jpg', bytes: CONTENT }]);
    const archive = Buffer.from(bytes);
    const headers = [0, archive.indexOf('PK\x03\x04', 4, 'latin1')];
    expect(headers.map((at) => archive.readUInt16LE(at + 6) & 0x08)).to.deep.equal([0, 0]);
    expect(archive.indexOf('PK\x07\x08', 0, 'latin1')).to.equal(-1);
  });

  it('returns the same bytes if Node has no CRC-32', async () => {
    const input = files('index.html', 'ä/あ.txt');
    const { getBuiltinModule } = process;
    Object.assign(process, { getBuiltinModule: undefined });
    const source = new URL('../src/zip.ts?portable', import.meta.url);
    const portable: typeof import('@pinfold/client/zip') = await import(source.href).finally(() =>
      Object.assign(process, { getBuiltinModule }),
    );
    expect((await portable.packFiles(input)).bytes).to.deep.equal((await packFiles(input)).bytes);
  });

  it('deflates a file that becomes smaller by 2 %, and stores every other, whatever its name', async () => {
    const random = randomFillSync(new Uint8Array(20_000));
    const part = (share: number) => random.slice().fill(0, 0, Math.round(random.length * share));
    const input = {
      'index.html': part(0.5),
      'photo.jpg': part(0.5),
      'a.tgz': random,
      'text.txt': random,
      'nearly.txt': part(0.01),
      'just.txt': part(0.04),
      'empty.txt': new Uint8Array(),
    };
    const { bytes } = await packFiles(
      Object.entries(input).map(([path, content]) => ({ path, bytes: content })),
    );
    const methods: Record<string, number> = {};
    const unpacked = unzipSync(bytes, {
      filter: ({ name, compression }) => {
        methods[name] = compression;
        return true;
      },
    });
    expect(methods).to.deep.equal({
      'index.html': 8,
      'photo.jpg': 8,
      'a.tgz': 0,
      'text.txt': 0,
      'nearly.txt': 0,
      'just.txt': 8,
      'empty.txt': 0,
    });
    expect(unpacked).to.deep.equal(input);
  });

  it('packs names that are members of JavaScript objects, in the same way each time', async () => {
    const names = ['__proto__', 'a/__proto__', 'constructor', 'hasOwnProperty', 'index.html', 'toString'];
    const [one, other] = [await packFiles(files(...names)), await packFiles(files(...names.toReversed()))];
    expect(one.bytes).to.deep.equal(other.bytes);
    expect(inOrder(one.bytes)).to.deep.equal(names.map((name) => [name, 'content']));
    const listed: string[] = [];
    unzipSync(one.bytes, { filter: ({ name }) => listed.push(name) < 0 });
    expect(listed).to.deep.equal(names);
  });

  it('keeps the content of every file, and packs an empty list', async () => {
    const unpacked = unzipSync((await packFiles(files('index.html', 'photo.jpg'))).bytes);
    expect(unpacked).to.deep.equal({ 'index.html': CONTENT, 'photo.jpg': CONTENT });
    expect(await packed([])).to.deep.equal({ names: [], leftOut: [] });
  });

  it('refuses two files of the same path', async () => {
    const error = await packFiles(files('a', 'a')).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });

  it('refuses more files than a ZIP without Zip64 can have, before it reads one', async () => {
    const bytes = () => expect.fail('read');
    const tooMany = Array.from({ length: 65_535 }, (_, number) => ({ path: `${number}`, bytes }));
    const error = await packFiles(tooMany).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(RangeError);
  });

  it('reads up to 16 files at the same time, each once, and packs them in their order', async () => {
    let open = 0;
    let maxOpen = 0;
    const read: string[] = [];
    const input = Array.from({ length: 50 }, (_, n) => {
      const path = `page-${String(n).padStart(2, '0')}.html`;
      const bytes = async () => {
        read.push(path);
        open += 1;
        maxOpen = Math.max(maxOpen, open);
        // The later of two ends first.
        for (let turns = 50 - n; turns > 0; turns -= 1) await Promise.resolve();
        open -= 1;
        return new TextEncoder().encode(path);
      };
      return { path, bytes };
    });
    const { bytes } = await packFiles([...input].reverse());
    expect(inOrder(bytes)).to.deep.equal(input.map(({ path }) => [path, path]));
    expect(read.sort()).to.deep.equal(input.map(({ path }) => path));
    expect(maxOpen).to.equal(16);
  });

  it('fails with the first file that cannot be read, and handles all other failures', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', record);
    const input = Array.from({ length: 5 }, (_, n) => ({
      path: `${n}.html`,
      bytes: () => Promise.reject(new Error(`no ${n}`)),
    }));
    const failure = await packFiles(input).catch((error: Error) => error.message);
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', record);
    expect(failure).to.equal('no 0');
    expect(unhandled).to.deep.equal([]);
  });
});
