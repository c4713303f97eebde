import { createHash, randomFillSync } from 'node:crypto';
import { type FileToPack, packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { unzipSync } from 'fflate';

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

/** As Windows PowerShell 5 writes what a program prints. */
function utf16(text: Uint8Array): Uint8Array {
  return Uint8Array.of(0xff, 0xfe, ...[...text].flatMap((byte) => [byte, 0]));
}

function files(...paths: readonly string[]): readonly FileToPack[] {
  return paths.map((path) => ({ path, bytes: CONTENT }));
}

async function packed(given: Iterable<FileToPack>, options = {}) {
  const { bytes, leftOut } = await packFiles(given, options);
  return { names: Object.keys(unzipSync(bytes)), leftOut };
}

describe('packFiles', () => {
  it('leaves out dot files, private keys and what no site may have, and lists each folder once', async () => {
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
        'id_rsa',
        'keys/id_rsa.pub',
        'a.P12',
      ),
      ...files('id_rsa-explained/index.html', 'tmpl/a.html', '.well-known/.hidden'),
    ]);
    expect(names).to.deep.equal([
      '.well-known/security.txt',
      'id_rsa-explained/index.html',
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
      'blog/TMP/',
      'id_rsa',
      'keys/id_rsa.pub',
      'log',
      'node_modules/',
    ]);
  });

  it('leaves out a .pem or .key by its content', async () => {
    const given = [
      { path: 'index.html', bytes: KEY },
      { path: 'server.key', bytes: KEY },
      { path: 'a/B.PEM', bytes: async () => KEY },
      { path: 'utf-16.pem', bytes: utf16(KEY) },
      { path: 'pgp.key', bytes: OPENPGP_KEY },
      { path: 'ca.pem', bytes: CERTIFICATE },
      { path: 'talk.key', bytes: CONTENT },
    ];
    expect(await packed(given)).to.deep.equal({
      names: ['ca.pem', 'index.html', 'talk.key'],
      leftOut: ['a/B.PEM', 'pgp.key', 'server.key', 'utf-16.pem'],
    });
  });

  it('takes dot files along where it is asked to, but nothing that the server forbids, and no key', async () => {
    const given = files('.env', '.env.local', '.git/config', '.ssh/id_rsa', '.nojekyll', 'index.html');
    expect(await packed(given, { dotFiles: true })).to.deep.equal({
      names: ['.env.local', '.nojekyll', 'index.html'],
      leftOut: ['.env', '.git/', '.ssh/id_rsa'],
    });
  });

  it('does not mention what operating systems add', async () => {
    const given = files('index.html', '.DS_Store', 'a/Thumbs.db', 'desktop.ini', '__MACOSX/._index.html');
    expect(await packed(given)).to.deep.equal({ names: ['index.html'], leftOut: [] });
  });

  it('gives the same bytes whatever the order, the day and the time zone', async () => {
    const given = [
      ...files('b.html', '404', '1/z', 'ä/あ.txt', 'a.html'),
      { path: 'large.js', bytes: new TextEncoder().encode('let a = 1;\n'.repeat(9_999)) },
      { path: 'photo.jpg', bytes: CONTENT },
    ];
    const zone = process.env.TZ;
    const digests: string[] = [];
    for (const TZ of ['Pacific/Kiritimati', 'America/St_Johns', 'UTC']) {
      process.env.TZ = TZ;
      const { bytes } = await packFiles(digests.length === 0 ? given : given.toReversed());
      digests.push(createHash('sha256').update(bytes).digest('hex'));
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    const same = 'e62eb2d8dfacec0f3d5e37f78a566f176c47a792f230a254c4c4f5eb40bc856e';
    expect(digests).to.deep.equal([same, same, same]);
  });

  it('deflates a file that becomes smaller by 2 %, and stores every other, whatever its name', async () => {
    const random = randomFillSync(new Uint8Array(20_000));
    const part = (share: number) => random.slice().fill(0, 0, Math.round(random.length * share));
    const given = {
      'index.html': part(0.5),
      'photo.jpg': part(0.5),
      'a.tgz': random,
      'text.txt': random,
      'nearly.txt': part(0.01),
      'just.txt': part(0.04),
      'empty.txt': new Uint8Array(),
    };
    const { bytes } = await packFiles(
      Object.entries(given).map(([path, content]) => ({ path, bytes: content })),
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
    expect(unpacked).to.deep.equal(given);
  });

  it('keeps the content of every file, and packs none as well', async () => {
    const unpacked = unzipSync((await packFiles(files('index.html', 'photo.jpg'))).bytes);
    expect(unpacked).to.deep.equal({ 'index.html': CONTENT, 'photo.jpg': CONTENT });
    expect(await packed([])).to.deep.equal({ names: [], leftOut: [] });
  });

  it('refuses two files of the same path', async () => {
    const error = await packFiles(files('a', 'a')).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(TypeError);
  });
});
