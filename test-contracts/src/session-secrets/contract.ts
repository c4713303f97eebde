import type { SessionSecrets } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type Contract, toClauses, withPeer } from '../contract.ts';
import { nearTexts } from '../fixtures/roles.ts';

const TOKEN = /^[0-9A-Za-z_-]{43,100}$/;

/** Texts into which a person or a mistake can turn a valid token. */
function malformed(text: string): readonly string[] {
  const longer = [`${text}a`, `${text}${text}`, 'a'.repeat(1_000_000)];
  const foreign = ['é', '%', '\0'].map((sign) => `${text.slice(1)}${sign}`);
  return ['', ...nearTexts(text).slice(1), ...longer, ...foreign, '\u{d800}'];
}

const clauses: ClauseTable<SessionSecrets> = {
  'session-secrets/mint: a minted token has 43 to 100 URL-safe characters and reads as its hash on every peer, and no two are alike':
    withPeer(async (port, peer) => {
      const minted = await Promise.all(Array.from({ length: 1_000 }, () => port.mint()));
      for (const { text, hash } of minted) {
        expect(text).to.match(TOKEN);
        expect(hash).to.match(/^[0-9a-f]{64}$/);
        expect(hash).not.to.include(text);
        expect(await peer.read(text)).to.equal(hash);
      }
      expect(new Set(minted.map(({ text }) => text)).size, 'tokens').to.equal(minted.length);
      expect(new Set(minted.map(({ hash }) => hash)).size, 'hashes').to.equal(minted.length);
    }),
  'session-secrets/read: a text that is not a token is undefined, of any length and in any characters':
    async ({ port }) => {
      for (const text of malformed((await port.mint()).text)) {
        expect(await port.read(text), JSON.stringify(text.slice(0, 100))).to.equal(undefined);
      }
    },
};

/** The promises of {@link SessionSecrets}. */
export const sessionSecretsContract: Contract<SessionSecrets> = {
  port: 'SessionSecrets',
  harness: [],
  clauses: toClauses(clauses),
};
