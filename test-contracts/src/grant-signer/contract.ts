import { after, type Generation, type Grant, type GrantSigner, hours, instant } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type Contract, type Subject, toClauses, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';

/** The subject of the tests of a {@link GrantSigner}. A peer has the same secret as the port. */
export interface GrantSignerSubject extends Subject<GrantSigner> {
  /** A signer that signs with a new secret and accepts the port's as an earlier one. */
  successor(): Promise<GrantSigner>;
  /** A signer that knows only a secret of its own. */
  ofAnotherKey(): Promise<GrantSigner>;
}

type GrantSignerClauses = ClauseTable<GrantSigner, GrantSignerSubject>;

const SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
/** Characters that lenient parsers of base64 and tokens skip, or confuse with another character. */
const UNSAFE = '+/= \n%\0é';

const A_GRANT: Grant = {
  purpose: 'cookie',
  role: aRoleId(1),
  generation: 1 as Generation,
  accountGeneration: 1 as Generation,
  issuedAt: START,
  madeAt: after(START, hours(1)),
};

/** Every purpose, and numbers at their limits. */
const GRANTS: readonly Grant[] = [
  A_GRANT,
  { ...A_GRANT, purpose: 'path' },
  { ...A_GRANT, purpose: 'hand_over', madeAt: START },
  { ...A_GRANT, role: aRoleId(2) },
  { ...A_GRANT, generation: 2 as Generation },
  { ...A_GRANT, generation: Number.MAX_SAFE_INTEGER as Generation },
  { ...A_GRANT, accountGeneration: 2 as Generation },
  { ...A_GRANT, accountGeneration: Number.MAX_SAFE_INTEGER as Generation },
  { ...A_GRANT, viewer: { id: 'ada', gavePassword: false } },
  { ...A_GRANT, viewer: { id: 'ada', gavePassword: true } },
  { ...A_GRANT, viewer: { id: '花'.repeat(85), gavePassword: true } },
  { ...A_GRANT, issuedAt: instant(0), madeAt: instant(1) },
  { ...A_GRANT, issuedAt: instant(Date.UTC(9999, 11, 31)), madeAt: instant(Number.MAX_SAFE_INTEGER) },
];

/** Every text that differs from a token in one character, or at its end. */
function* forgeries(token: string): Generator<string> {
  for (let at = 0; at < token.length; at += 1) {
    yield token.slice(0, at);
    yield token.slice(at + 1);
    for (const character of SAFE + UNSAFE) {
      if (character !== token[at]) yield token.slice(0, at) + character + token.slice(at + 1);
    }
  }
  for (const character of SAFE + UNSAFE) {
    yield token + character;
    yield character + token;
  }
  yield token + token;
}

/** Everything that a client can decode from a token: the text, and its bytes by each common alphabet from each position. */
function* readingsOf(token: string): Generator<string> {
  yield token;
  for (let from = 0; from < token.length; from += 1) {
    for (const alphabet of ['base64url', 'hex'] as const)
      yield Buffer.from(token.slice(from), alphabet).toString();
  }
}

const clauses: GrantSignerClauses = {
  'grant-signer/verify: every peer with the same secret verifies a signed grant and returns it unchanged':
    withPeer(async (port, peer) => {
      const tokens = await Promise.all(GRANTS.map((grant) => port.sign(grant)));
      expect(new Set(tokens).size, 'different grants have different tokens').to.equal(GRANTS.length);
      for (const [n, token] of tokens.entries()) {
        expect(await port.verify(token), token).to.deep.equal(GRANTS[n]);
        expect(await peer.verify(token), `${token} on a peer`).to.deep.equal(GRANTS[n]);
      }
    }),
  'grant-signer/token: a token has only URL-safe characters, at most 512': async ({ port }) => {
    for (const grant of GRANTS) expect(await port.sign(grant)).to.match(/^[A-Za-z0-9_.-]{1,512}$/);
  },
  'grant-signer/hidden: a token does not reveal the viewer without the secret': async ({ port }) => {
    const id = 'ada.of.the.harbour@pages.example';
    const token = await port.sign({ ...A_GRANT, viewer: { id, gavePassword: false } });
    expect((await port.verify(token))?.viewer?.id, 'with the secret').to.equal(id);
    for (const reading of readingsOf(token)) expect(reading).not.to.include(id);
  },
  'grant-signer/forged: a token that was changed in any character, truncated, or signed with another secret is undefined':
    async (subject) => {
      const token = await subject.port.sign(A_GRANT);
      for (const forgery of forgeries(token)) {
        expect(await subject.port.verify(forgery), JSON.stringify(forgery)).to.equal(undefined);
      }
      const foreign = await (await subject.ofAnotherKey()).sign(A_GRANT);
      const later = await (await subject.successor()).sign(A_GRANT);
      expect(await subject.port.verify(foreign), 'another secret').to.equal(undefined);
      expect(await subject.port.verify(later), 'a later secret').to.equal(undefined);
      expect(await subject.port.verify(token), 'the token itself').to.deep.equal(A_GRANT);
    },
  'grant-signer/rotation: a token signed with an earlier secret verifies while that secret is configured':
    async (subject) => {
      const token = await subject.port.sign(A_GRANT);
      const successor = await subject.successor();
      expect(await successor.verify(token)).to.deep.equal(A_GRANT);
      expect(await successor.verify(await successor.sign(A_GRANT))).to.deep.equal(A_GRANT);
      expect(await (await subject.ofAnotherKey()).verify(token), 'not configured').to.equal(undefined);
    },
};

/** The promises of {@link GrantSigner}. */
export const grantSignerContract: Contract<GrantSigner, GrantSignerSubject> = {
  port: 'GrantSigner',
  harness: [],
  clauses: toClauses(clauses),
};
