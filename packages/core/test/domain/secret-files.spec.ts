import { expect } from 'chai';
import { isSecretPath } from '../../src/domain/secret-files.ts';

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
