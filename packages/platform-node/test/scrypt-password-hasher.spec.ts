import { createHash } from 'node:crypto';
import { isFault, type Password, type PasswordHash } from '@pinfold/core';
import { SCRYPT_COST, ScryptPasswordHasher } from '@pinfold/platform-node';
import { expect } from 'chai';

const CLIENT = '192.0.2.1';
const CHEAP = { logN: 4, r: 8, p: 1 };
const password = (text: string): Password => text.normalize('NFC') as Password;

/** A hash with a higher stated cost and a correct checksum. */
function rewritten(hash: PasswordHash, change: (header: Buffer) => void): PasswordHash {
  const key = Buffer.from(hash, 'base64');
  change(key);
  createHash('sha256').update(key.subarray(0, 48)).digest().copy(key, 48, 0, 16);
  return key.toString('base64') as PasswordHash;
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  return isFault(error) ? error.code : error;
}

describe('ScryptPasswordHasher', () => {
  it('costs at least what OWASP advises: N = 2^17, r = 8, p = 1', async () => {
    const hash = await new ScryptPasswordHasher().hash(password('correct horse'), CLIENT);
    const key = Buffer.from(hash, 'base64');
    expect(SCRYPT_COST).to.deep.equal({ logN: 17, r: 8, p: 1 });
    expect([key[7], key.readUInt32BE(8), key.readUInt32BE(12)]).to.deep.equal([17, 8, 1]);
  });

  it('treats the composed and the decomposed form of a character as equal', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP });
    const hash = await hasher.hash('パスワード' as Password, CLIENT);
    expect(await hasher.verify('パスワード'.normalize('NFD') as Password, hash, CLIENT)).to.equal(true);
  });

  it('verifies hashes of a lower cost than the current one', async () => {
    const current = new ScryptPasswordHasher({ cost: CHEAP });
    const cheaper = await new ScryptPasswordHasher({ cost: { logN: 2, r: 4, p: 2 } }).hash(
      password('right'),
      CLIENT,
    );
    expect(await current.verify(password('right'), cheaper, CLIENT)).to.equal(true);
    expect(await current.verify(password('wrong'), cheaper, CLIENT)).to.equal(false);
  });

  it('refuses a hash whose cost would exhaust the server, without computing it', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP });
    const hash = await hasher.hash(password('correct horse'), CLIENT);
    const exorbitant = [
      rewritten(hash, (header) => header.writeUInt8(30, 7)),
      rewritten(hash, (header) => header.writeUInt8(255, 7)),
      rewritten(hash, (header) => header.writeUInt8(0, 7)),
      rewritten(hash, (header) => header.writeUInt32BE(0xffffffff, 8)),
      rewritten(hash, (header) => header.writeUInt32BE(0, 8)),
      rewritten(hash, (header) => header.writeUInt32BE(0x3fffffff, 12)),
      rewritten(hash, (header) => header.writeUInt32BE(0, 12)),
    ];
    for (const text of exorbitant) {
      expect(await codeOf(hasher.verify(password('correct horse'), text, CLIENT))).to.equal('store_corrupt');
    }
  });

  it('reports a damaged hash as a fault, not as a wrong password', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP });
    const hash = await hasher.hash(password('correct horse'), CLIENT);
    for (const at of [1, 10, 24, 60, 80]) {
      const damaged = `${hash.slice(0, at)}${hash[at] === 'A' ? 'B' : 'A'}${hash.slice(at + 1)}`;
      const answer = await codeOf(hasher.verify(password('correct horse'), damaged as PasswordHash, CLIENT));
      expect(answer, `at ${at}`).to.equal('store_corrupt');
    }
  });

  it('hashes a limited number at once, lets a limited number wait, and throws hasher_overloaded beyond that', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP, parallel: 2, waiting: 3 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => codeOf(hasher.hash(password('correct horse'), CLIENT))),
    );
    const overloaded = answers.filter((answer) => answer === 'hasher_overloaded');
    expect(overloaded).to.have.length(3);
    expect(await codeOf(hasher.hash(password('correct horse'), CLIENT)))
      .to.be.a('string')
      .that.has.length(128);
  });

  it('lets clients take turns, and refuses the last one of the client with the most waiting', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP, parallel: 1, waiting: 3 });
    const done: string[] = [];
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(async (name) => {
      const answer = await codeOf(hasher.hash(password(name), name.charAt(0)));
      done.push(answer === 'hasher_overloaded' ? `${name} refused` : name);
    });
    await Promise.all(all);
    expect(done).to.deep.equal(['a4 refused', 'b2 refused', 'a1', 'a2', 'b1', 'a3']);
  });

  it('frees the place of a call that was aborted while waiting', async () => {
    const hasher = new ScryptPasswordHasher({ cost: CHEAP, parallel: 1, waiting: 1 });
    const [controller, reason] = [new AbortController(), new Error('gone')];
    const running = hasher.hash(password('one'), CLIENT);
    const waiting = codeOf(hasher.hash(password('two'), CLIENT, controller.signal));
    expect(await codeOf(hasher.hash(password('three'), CLIENT))).to.equal('hasher_overloaded');
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    const next = hasher.hash(password('four'), CLIENT);
    expect(await hasher.verify(password('one'), await running, CLIENT)).to.equal(true);
    expect(await next).to.have.length(128);
  });
});
