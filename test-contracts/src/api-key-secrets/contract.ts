import { createHash } from 'node:crypto';
import type { ApiKeySecrets, Sha256 } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, type Contract, toClauses } from '../contract.ts';

const MINTED = /^pf_([0-9A-Za-z]+)_([0-9A-Za-z]{43})$/;

/** Malformed variants of a valid key. */
function malformed(text: string): readonly string[] {
  const [, id = '', secret = ''] = MINTED.exec(text) ?? [];
  return [
    '',
    'pf_',
    'pf__',
    `pf_${id}`,
    `pf_${id}_`,
    `pf__${secret}`,
    `${id}_${secret}`,
    `PF_${id}_${secret}`,
    `pf-${id}-${secret}`,
    `pf_${id}_${secret.slice(1)}`,
    `pf_${id}_${secret.slice(1)}-`,
    `pf_${id}_${secret.slice(1)}é`,
    `pf_${id}\0_${secret}`,
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    `${text}_`,
    `${text}${secret}`,
    `pf_${id.repeat(100)}_${secret}`,
    `pf_${'a'.repeat(1_000_000)}`,
    '\u{d800}',
    `pf_${id}_${secret}`.replaceAll('_', '＿'),
  ];
}

const clauses: ClauseTable<ApiKeySecrets> = {
  'api-key-secrets/mint: a minted text reads as its id and hash, and no two are alike': async (subject) => {
    const peer = await subject.peer();
    const minted = await Promise.all(Array.from({ length: 1_000 }, () => subject.port.mint()));
    for (const { text, id, secretHash } of minted) {
      const [, , secret = ''] = MINTED.exec(text) ?? [];
      expect(text).to.match(MINTED);
      expect(secretHash).to.equal(createHash('sha256').update(secret).digest('hex'));
      expect(await peer.read(text)).to.deep.equal({ id, secretHash });
    }
    expect(new Set(minted.map(({ id }) => id)).size, 'ids').to.equal(minted.length);
    expect(new Set(minted.map(({ secretHash }) => secretHash)).size, 'secrets').to.equal(minted.length);
  },
  'api-key-secrets/read: a malformed text, of any length and with any characters, is undefined': async ({
    port,
  }) => {
    for (const text of malformed((await port.mint()).text)) {
      expect(await port.read(text), JSON.stringify(text.slice(0, 100))).to.equal(undefined);
    }
  },
  'api-key-secrets/same: equal hashes are the same, others are not': async ({ port }) => {
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex') as Sha256;
    const [one, other] = [hashOf('one'), hashOf('other')];
    expect(await port.same(one, `${one.slice(0, 32)}${one.slice(32)}` as Sha256)).to.equal(true);
    expect(await port.same(one, other), 'another').to.equal(false);
    expect(await port.same(one, `${one.slice(0, -1)}0` as Sha256), 'another end').to.equal(false);
    expect(await port.same(one, one.slice(0, -1) as Sha256), 'shorter').to.equal(false);
    expect(await port.same('' as Sha256, one), 'none').to.equal(false);
  },
};

/** The promises of {@link ApiKeySecrets}. */
export const apiKeySecretsContract: Contract<ApiKeySecrets> = {
  port: 'ApiKeySecrets',
  harness: [],
  clauses: toClauses(clauses),
};
