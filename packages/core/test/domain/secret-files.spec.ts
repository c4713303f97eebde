import { expect } from 'chai';
import { isSecretPath, mayBeKeyFile, secretOfFile } from '../../src/domain/secret-files.ts';

describe('the name of a private key', () => {
  it('is a name that programs give to keys or key stores', () => {
    for (const name of [
      'id_rsa',
      'id_dsa',
      'id_ecdsa',
      'id_ed25519',
      'id_ecdsa_sk',
      'id_ed25519_sk',
      'ID_RSA',
    ])
      expect(isSecretPath(name), name).to.equal(true);
    for (const name of ['a.p12', 'A.PFX', 'x.ppk', 'a.jks', 'b.keystore', '秘密.kdbx', 'a\u2028.p12'])
      expect(isSecretPath(name), name).to.equal(true);
  });

  it('is not the name of a public key or of a page', () => {
    for (const name of [
      'id_rsa.pub',
      'id_ed25519.pub',
      'id_rsa.html',
      'xid_rsa',
      'p12',
      'a.jks.html',
      'a.pem',
    ])
      expect(isSecretPath(name), name).to.equal(false);
  });

  it('is matched in linear time', () => {
    for (const path of [
      `${'.ssh/x/'.repeat(100_000)}\u2028`,
      '.p12'.repeat(500_000),
      '.env.'.repeat(400_000),
    ])
      expect(isSecretPath(`${path}\n`)).to.equal(path.startsWith('.ssh') || path.startsWith('.env'));
  });
});

const BODY = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n'.repeat(8);

/** Whether the packer leaves a file out, and the server warns of it. */
function isKeyFile(path: string, text: string): boolean {
  const isKey = secretOfFile(path, (characters) => text.slice(0, characters)) === 'private_key';
  // The packer first checks the bytes to decide whether to decode them at all.
  if (isKey)
    expect(
      mayBeKeyFile(
        path,
        Uint8Array.from(text, (one) => one.charCodeAt(0)),
      ),
    ).to.equal(true);
  return isKey;
}

function pem(label: string): string {
  return `-----BEGIN ${label}-----\n${BODY}-----END ${label}-----\n`;
}

const KEY = pem('PRIVATE KEY');

describe('a private key', () => {
  it('is searched only in a file that has words of a key, and in a .pem', () => {
    const bytes = new TextEncoder().encode('PRIVATE, KEY, PuTTY, P\0R\0I\0V\0');
    expect(mayBeKeyFile('notes.txt', bytes)).to.equal(false);
    expect(mayBeKeyFile('a.pem', bytes)).to.equal(true);
  });

  for (const label of [
    'PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'DSA PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ML-DSA-65 PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ]) {
    it(`is found by its content in any file: ${label}`, () => {
      for (const path of ['deploy', 'a/backup.old', 'photo.png', 'notes.txt', 'index.html', 'x.pub'])
        expect(isKeyFile(path, pem(label)), path).to.equal(true);
    });
  }

  const others = {
    'in the format of PuTTY': 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n',
    'in the format of RFC 4716':
      '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n',
    'behind its curve': `${pem('EC PARAMETERS')}${pem('EC PRIVATE KEY')}`,
    'behind its certificate': `${pem('CERTIFICATE')}${KEY}`,
    'behind attributes': `Bag Attributes\n    friendlyName: me\n${KEY}`,
    'behind a comment': `# ${'of the old server '.repeat(99)}\r\n${KEY.replaceAll('\n', '\r\n')}`,
    'behind empty lines and spaces': `\n \n\t  ${KEY}`,
    'behind a byte order mark of UTF-8': `ï»¿${KEY}`,
    'in UTF-16': `ÿþ${[...KEY].join('\0')}\0`,
    'in big-endian UTF-16 without a byte order mark': `\0${[...KEY].join('\0')}`,
    'in a JSON file': JSON.stringify({ type: 'service_account', private_key: KEY }),
    'in a setting without quotes': `NAME=me\nKEY=${KEY.replaceAll('\n', '\\n')}`,
    'even if it is cut off': KEY.slice(0, 90),
  };
  for (const [which, text] of Object.entries(others)) {
    it(`is found ${which}`, () => expect(isKeyFile('secret', text)).to.equal(true));
  }

  it('is found in a text that is mostly a key', () => {
    expect(isKeyFile('a.txt', `The key of the old server:\n${KEY}`)).to.equal(true);
    expect(isKeyFile('a.html', `<pre>\n${KEY}</pre>`)).to.equal(true);
  });

  it('is not found in a page, a script or a text that shows a key among other things', () => {
    const prose = 'A key begins with a line of its own, and ends with one. '.repeat(20);
    for (const path of ['a.html', 'a.md', 'llms-full.txt', 'a.js', 'a.js.map', 'a.css'])
      expect(isKeyFile(path, `${prose}\n${KEY}\n${prose}`), path).to.equal(false);
    expect(isKeyFile('app.js', `const key = \`${KEY}\`;`)).to.equal(false);
    expect(isKeyFile('notes', 'It begins with -----BEGIN PRIVATE KEY-----.')).to.equal(false);
    expect(isKeyFile('a.json', '{"help":"Paste the PRIVATE KEY here"}')).to.equal(false);
    expect(isKeyFile('notes', 'about PuTTY-User-Key-File-3: x')).to.equal(false);
  });

  it('is not a certificate, a public key or a request for one', () => {
    for (const label of ['CERTIFICATE', 'PUBLIC KEY', 'PGP PUBLIC KEY BLOCK', 'CERTIFICATE REQUEST'])
      expect(isKeyFile('server', pem(label)), label).to.equal(false);
    expect(isKeyFile('id_rsa.pub', 'ssh-rsa AAAAB3NzaC1yc2E me@example.com')).to.equal(false);
  });

  it('is searched for in linear time', () => {
    for (const hostile of [
      '-----BEGIN ',
      '-----BEGIN A ',
      ' ',
      '"',
      '\n',
      '\n-----END ',
      'PuTTY-',
      'PRIVATE KEY',
    ])
      for (const path of ['a', 'a.html'])
        expect(isKeyFile(path, `PRIVATE KEY${hostile.repeat(4_000_000 / hostile.length)}`)).to.equal(false);
  });
});

describe('a PEM file', () => {
  const judge = (text: string) => secretOfFile('a/b.PEM', (characters) => text.slice(0, characters));

  it('is public if every block is a certificate or a public key', () => {
    for (const label of [
      'CERTIFICATE',
      'TRUSTED CERTIFICATE',
      'X509 CERTIFICATE',
      'PUBLIC KEY',
      'RSA PUBLIC KEY',
    ])
      expect(judge(`${pem(label)}# chain\n${pem('CERTIFICATE').repeat(100)}`), label).to.equal(undefined);
    for (const label of ['EC PARAMETERS', 'CERTIFICATE REQUEST', 'OpenVPN Static key V1'])
      expect(judge(`${pem('CERTIFICATE').repeat(100)}${pem(label)}`), label).to.equal('secret_file');
    expect(judge('no block at all')).to.equal('secret_file');
    expect(judge(`${pem('CERTIFICATE').repeat(100)}${KEY}`)).to.equal('private_key');
  });
});
