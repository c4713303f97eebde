import { createHash } from 'node:crypto';
import { type Ids, instant } from '@pinfold/core';
import { archiveCreatedAt, parseArchiveId } from '@pinfold/core/adapter';
import { expect } from 'chai';
import { type ClauseTable, type Contract, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MANY = 2_000;

/** Creates many ids by each peer, and fails unless all are different: the nodes of a service share their ids. */
async function createMany<Id>(peers: readonly Ids[], make: (ids: Ids) => Id): Promise<readonly Id[]> {
  const all = peers.flatMap((ids) => Array.from({ length: MANY }, () => make(ids)));
  expect(new Set(all).size, 'different ones').to.equal(all.length);
  return all;
}

const clauses: ClauseTable<Ids> = {
  'ids/role: every id is a version 4 UUID in lower case, and no two are alike': async (subject) => {
    const all = await createMany([subject.port, await subject.peer()], (ids) => ids.role());
    for (const id of all) expect(id).to.match(UUID_4);
  },
  'ids/archive: the instant can be read from the id, and no two are alike': async (subject) => {
    const all = await createMany([subject.port, await subject.peer()], (ids) => ids.archive(START));
    for (const id of all) {
      expect(parseArchiveId(id), 'is an archive id').to.equal(id);
      expect(archiveCreatedAt(id)).to.equal(START);
    }
    for (const at of [0, 1, 999_999_999_999, 9_999_999_999_999]) {
      expect(archiveCreatedAt(subject.port.archive(instant(at)))).to.equal(at);
    }
  },
  'ids/token: no two tokens are alike': async (subject) => {
    await createMany([subject.port, await subject.peer()], (ids) => ids.token());
  },
  'ids/event: every id is a version 4 UUID in lower case, and no two are alike': async (subject) => {
    const all = await createMany([subject.port, await subject.peer()], (ids) => ids.event());
    for (const id of all) expect(id).to.match(UUID_4);
  },
  'ids/name-token: every token is 22 characters of base62 from at least 128 random bits, and no two are alike':
    async (subject) => {
      const all = await createMany([subject.port, await subject.peer()], (ids) => ids.nameToken());
      for (const token of all) expect(token).to.match(/^[0-9A-Za-z]{22}$/);
      // The first digit of 128 bits has 8 values, and every other one all 62.
      for (const place of Array.from({ length: 21 }, (_, n) => n + 1)) {
        expect(new Set(all.map((token) => token[place])).size, `digits at ${place}`).to.equal(62);
      }
    },
  'ids/digest: the SHA-256 of a text in UTF-8, in lower-case hexadecimal digits': async ({ port }) => {
    for (const text of ['', ' A ', 'e\u0301', '007', `"it's"`, 'a\u0000𝒶'.repeat(300)]) {
      expect(await port.digest(text)).to.equal(createHash('sha256').update(text).digest('hex'));
    }
  },
};

/** The promises of {@link Ids}. */
export const idsContract: Contract<Ids> = { port: 'Ids', harness: [], clauses: toClauses(clauses) };
