import {
  accountId,
  after,
  days,
  type EncodedManifest,
  type Filename,
  type Generation,
  type IdempotencyKey,
  instant,
  type PasswordHash,
  type Role,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import { FIRST_GENERATION } from '@pinfold/core/adapter';
import {
  anArchiveId,
  anEvent,
  aPublication,
  aRole,
  aRoleId,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  type ClauseTable,
  loadedRole,
  removeEnded,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

/** The smallest and largest values of a role, and texts that stores tend to change. */
const ROLES: readonly Role[] = [
  aRole(1, { title: null, expiresAt: null, pinned: true, fileCount: 1, size: 0 }),
  aRole(2, {
    account: accountId('👩‍👩‍👧 \u05d0\u05d1 '.repeat(22)),
    idempotencyKey: `~ !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}`.repeat(7) as IdempotencyKey,
    title: '🧭'.repeat(255) as Title,
    originalFilename: `${'𝒵'.repeat(251)}.zip` as Filename,
    fileCount: 100_000,
    size: 9_007_199_254_740_991,
    publishedAt: instant(253_402_300_799_999),
    expiresAt: instant(253_402_300_799_999),
    passwordHash: `$scrypt$${'Ab+/='.repeat(60)}` as PasswordHash,
    generation: 2_000_000_000 as Generation,
  }),
  aRole(3, {
    title: ' e\u0301 \u00e9 \u2028 \ufeff\u200b NULL \'"\\ %_ ' as Title,
    originalFilename: ' E\u0301\u212b ß\u200b\u00a0.ZIP ' as Filename,
    passwordHash: ' e\u0301\u200b ' as PasswordHash,
    publishedAt: instant(1),
  }),
  aRole(4, {
    title: '0' as Title,
    originalFilename: '1E3.Zip' as Filename,
    deletedAt: instant(4_102_444_800_001),
  }),
  aRole(5, {
    title: 'true' as Title,
    originalFilename: '{"a":1}' as Filename,
    passwordHash: '1' as PasswordHash,
  }),
  aRole(6, {
    title: 'null' as Title,
    originalFilename: 'null' as Filename,
    idempotencyKey: 'null' as IdempotencyKey,
    account: accountId('null'),
    passwordHash: 'null' as PasswordHash,
  }),
];

const loaded = (port: RoleStore, n: number) => loadedRole(port, aRoleId(n));

export const roleClauses: ClauseTable<RoleStore> = {
  'role-store/load-newest: a role is loaded as any peer saved it last, with every field': withPeer(
    async (port, other, { peer }) => {
      for (const [index, role] of ROLES.entries()) {
        await publishTo(port, { ...aPublication(index + 1), role });
        const found = await other.load(role.id);
        expect(found?.value, `role ${index + 1}`).to.deep.equal(role);
        expect(found?.accountGeneration, 'of an account whose viewers were never cut off').to.equal(
          FIRST_GENERATION,
        );
      }
      for (const [index, role] of ROLES.entries()) {
        const changes = ROLES[(index + 1) % ROLES.length] as Role;
        const { title, expiresAt, pinned, deletedAt, passwordHash, generation } = changes;
        const changed = { ...role, title, expiresAt, pinned, deletedAt, passwordHash, generation };
        const before = await loaded(port, index + 1);
        expect(await other.save(changed, before.version, [anEvent()])).to.deep.equal({ kind: 'saved' });
        expect((await loaded(port, index + 1)).value, `role ${index + 1} saved`).to.deep.equal(changed);
        expect((await loaded(await peer(), index + 1)).value).to.deep.equal(changed);
      }
    },
  ),
  'role-store/save-race: of many concurrent saves of one version exactly one is stored': async (subject) => {
    await publishTo(subject.port, aPublication(1));
    for (let round = 0; round < 4; round += 1) {
      const { value, version } = await loaded(subject.port, 1);
      const titles = Array.from({ length: 20 }, (_, n) => `round ${round}, save ${n}`);
      const outcomes = await together(subject, titles.length, (port, n) =>
        port.save({ ...value, title: titles[n] as Title, expiresAt: after(START, days(n)) }, version, [
          anEvent(),
        ]),
      );
      const stored = titles.filter((_, n) => outcomes[n]?.kind === 'saved');
      expect(stored, `round ${round}`).to.have.lengthOf(1);
      const newest = (await loaded(subject.port, 1)).value;
      expect(newest.title).to.equal(stored[0]);
      expect(newest.expiresAt).to.equal(after(START, days(titles.indexOf(stored[0] as string))));
    }
  },
  'role-store/manifest-text: the manifest is returned as it was committed; that of an unknown or removed archive is undefined':
    async ({ port, peer }) => {
      const texts = [
        '{ "b" : 1.0,\n "a": 1e2, "a": "\\u0000 \\ud83e\\udded 🧭 e\u0301" }',
        JSON.stringify([
          1,
          Array.from({ length: 2_000 }, (_, n) => [`ordner/ä ${n} '"%.html`, n, n, n, 8, n, 1]),
        ]),
        ' ',
        '\ufeff[1,[]]\ufeff\r\n\t',
        '"1"',
        `${'x'.repeat(65_535)}\u{1f9ed}`,
      ];
      for (const [n, text] of texts.entries()) {
        await publishTo(port, { ...aPublication(n), manifest: text as EncodedManifest });
      }
      const other = await peer();
      for (const [n, text] of texts.entries()) {
        expect(await other.loadManifest(anArchiveId(n)), `text ${n}`).to.equal(text);
      }
      expect(await port.loadManifest(anArchiveId(99))).to.equal(undefined);
      await removeEnded(other, after(START, days(30)));
      expect(await port.loadManifest(anArchiveId(0)), 'removed').to.equal(undefined);
    },
};
