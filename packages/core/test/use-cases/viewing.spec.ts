import {
  days,
  type GrantPurpose,
  hours,
  OPERATOR,
  type Password,
  type RoleId,
  type RoleStore,
} from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, OWNER, stageOfEachTest } from './stage.ts';

const SECRET = 'open sesame' as Password;

describe('letting viewers in', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish();
    await protect(SECRET);
  });

  async function protect(password: Password | null): Promise<void> {
    const outcome = await stage.useCases.update({ by: OWNER, id }, { type: 'set_password', password });
    expect(outcome.kind).to.equal('changed');
  }

  function enter(password: string, address = '192.0.2.1') {
    return stage.useCases.enter({ id, password, address });
  }

  /** Enters with the right password. */
  async function granted() {
    const outcome = await enter(SECRET);
    if (outcome.kind !== 'granted') throw new Error(outcome.kind);
    return { grant: outcome.grant, token: await stage.useCases.grants.sign(outcome.grant) };
  }

  /** The grant that admits to the site as it is now, if a token has one. */
  async function admitted(tokens: readonly string[], purpose: GrantPurpose = 'cookie') {
    const visit = await stage.useCases.visit(id);
    if (visit.kind !== 'published') throw new Error(visit.kind);
    return await stage.useCases.grants.admit(visit, purpose, tokens);
  }

  it('grants to the right password, whatever its Unicode form, and not to a wrong one', async () => {
    expect((await enter('open sesame')).kind).to.equal('granted');
    expect((await enter('open Sesame')).kind).to.equal('wrong');
    await protect('é'.repeat(8) as Password);
    expect((await enter('e\u0301'.repeat(8))).kind).to.equal('granted');
  });

  it('answers that no password is needed, or that the site is unknown or expired', async () => {
    await protect(null);
    expect((await enter('x')).kind).to.equal('not_protected');
    await stage.useCases.stop({ by: OPERATOR, id });
    expect((await enter('x')).kind).to.equal('unknown');
    id = 'ffffffff-ffff-4fff-8fff-ffffffffffff' as RoleId;
    expect((await enter('x')).kind, 'never published').to.equal('unknown');
    id = await stage.publish({ key: 'key-2' as never });
    stage.clock.advance(days(7));
    expect((await enter('x')).kind).to.equal('expired');
  });

  it('answers synchronously if the store does', async () => {
    const loaded = await stage.memory.roles.load(id);
    const { visit } = stage.with({ roles: replacing(stage.memory.roles, { load: () => loaded }) });
    expect(visit(id)).to.have.property('kind', 'published');
  });

  it('admits a viewer if one of several tokens is valid', async () => {
    const { grant, token } = await granted();
    expect(await admitted(['nonsense', token])).to.deep.equal(grant);
    expect(await admitted([token], 'path')).to.equal(undefined);
    expect(await admitted(['nonsense'])).to.equal(undefined);
    stage.clock.advance(hours(12));
    expect(await admitted([token])).to.equal(undefined);
  });

  for (const [what, change] of [
    ['a reset of the expiration', { type: 'reset_expiration' }],
    ['a change of the password', { type: 'set_password', password: 'another one' as Password }],
    ['the removal of the password', { type: 'set_password', password: null }],
  ] as const) {
    it(`${what} ends every grant`, async () => {
      const { token } = await granted();
      await stage.useCases.update({ by: OWNER, id }, change);
      expect(await admitted([token])).to.equal(undefined);
    });
  }

  it('a block that hides the sites of an account ends every grant for good', async () => {
    const { grant, token } = await granted();
    const { blockAccount, unblockAccount } = createAdministration(stage.ports);
    const cause = { actor: { kind: 'operator', id: null }, asOperator: true } as const;
    await blockAccount(OWNER, { reason: 'x', sites: 'keep' }, cause);
    expect(await admitted([token])).to.deep.equal(grant);
    await blockAccount(OWNER, { reason: 'x', sites: 'hide' }, cause);
    expect(await stage.useCases.visit(id)).to.deep.equal({ kind: 'unknown' });
    expect((await enter(SECRET)).kind).to.equal('unknown');
    const own = await stage.useCases.read({ by: OWNER, id });
    expect(own.kind === 'found' && own.publication.deletedAt, 'to its owner').to.equal(null);
    await unblockAccount(OWNER, cause);
    expect(await admitted([token])).to.equal(undefined);
    expect((await enter(SECRET)).kind).to.equal('granted');
  });

  it('a change of the title and a pin end no grant', async () => {
    const { grant, token } = await granted();
    await stage.useCases.update({ by: OWNER, id }, { type: 'set_title', title: null });
    await stage.useCases.pin({ by: OPERATOR, id });
    expect(await admitted([token])).to.deep.equal(grant);
  });
});

describe('opening a site', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish({ bytes: 'PK\x03\x04 and so on' });
  });

  async function role() {
    const found = await stage.useCases.read({ by: OWNER, id });
    if (found.kind !== 'found') throw new Error(found.code);
    return found.publication;
  }

  it('returns the manifest and the bytes as published', async () => {
    const opened = await stage.useCases.open.manifest(await role());
    if (opened.kind !== 'manifest') throw new Error(opened.kind);
    expect(opened.manifest.get('index.html')).to.include({
      offset: 40,
      size: 4,
      method: 'stored',
      utf8: true,
    });
    const read = await stage.useCases.open.read(await role(), 1, 3);
    if (read.kind !== 'bytes') throw new Error(read.kind);
    expect(Buffer.from(read.bytes).toString('latin1')).to.equal('K\x03\x04');
  });

  it('answers that the role has ended when its archive and manifest were removed', async () => {
    const before = await role();
    await stage.useCases.stop({ by: OPERATOR, id });
    stage.clock.advance(hours(1));
    expect((await stage.useCases.cleanUp()).archives).to.equal(1);
    expect(await stage.useCases.open.read(before, 0, 1)).to.deep.equal({ kind: 'unknown' });
    expect(await stage.useCases.open.manifest(before)).to.deep.equal({ kind: 'unknown' });
  });

  it('fails when a published role has no archive', async () => {
    const stored = await stage.memory.roles.load(id);
    if (stored === undefined) throw new Error('it is not stored');
    await stage.memory.archives.delete(stored.value.archive);
    expect(await codeOf(stage.useCases.open.read(await role(), 0, 1))).to.equal('archive_missing');
    const loadManifest: RoleStore['loadManifest'] = () => Promise.resolve(undefined);
    const { open } = stage.with({ roles: replacing(stage.memory.roles, { loadManifest }) });
    expect(await codeOf(open.manifest(await role()))).to.equal('archive_missing');
  });
});
