import {
  accountId,
  days,
  type IdempotencyKey,
  minutes,
  OPERATOR,
  type Password,
  type Publication,
  type RoleId,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import { anEvent, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, OWNER, stageOfEachTest } from './stage.ts';

const OTHER_ACCOUNT = accountId('stranger');

describe('changing a role', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish();
  });

  async function role() {
    const found = await stage.useCases.read({ by: OWNER, id });
    if (found.kind !== 'found') throw new Error(found.code);
    return found.publication;
  }

  it('hashes no password for a role that cannot take one', async () => {
    const { update } = stage.with({
      passwords: { hash: () => Promise.reject(new Error('hashed')), verify: () => Promise.resolve(false) },
    });
    stage.clock.advance(days(7));
    const outcome = update({ by: OWNER, id }, { type: 'set_password', password: 'long enough' as Password });
    expect(await codeOf(outcome)).to.equal('invalid_state');
    const byOther = update(
      { by: OTHER_ACCOUNT, id },
      { type: 'set_password', password: 'long enough' as Password },
    );
    expect(await codeOf(byOther)).to.equal('not_found');
  });

  it('retries if another change was faster, and loses neither', async () => {
    let overtaken = 0;
    const save: RoleStore['save'] = async (changed, loadedAt) => {
      if (overtaken < 3) {
        overtaken += 1;
        const title = `other ${overtaken}` as Title;
        await stage.useCases.update({ by: OWNER, id }, { type: 'set_title', title });
      }
      return await stage.memory.roles.save(changed, loadedAt, [anEvent()]);
    };
    const slow = stage.with({ roles: replacing(stage.memory.roles, { save }) });
    expect((await slow.pin({ by: OPERATOR, id })).kind).to.equal('changed');
    expect(await role()).to.include({ pinned: true, title: 'other 3' });
  });

  it('retries with the newest state, and stops when the request is aborted', async () => {
    const save: RoleStore['save'] = async (changed, loadedAt) => {
      await stage.useCases.stop({ by: OPERATOR, id });
      return await stage.memory.roles.save(changed, loadedAt, [anEvent()]);
    };
    const slow = stage.with({ roles: replacing(stage.memory.roles, { save }) });
    expect(await codeOf(slow.pin({ by: OPERATOR, id }))).to.equal('invalid_state');
    const signal = AbortSignal.abort('over');
    expect(await codeOf(slow.pin({ by: OPERATOR, id, signal }))).to.equal('over');
  });

  it('does not overwrite a title that was set since the caller saw it, and returns it', async () => {
    const rename = (title: string, seen: string | null) =>
      stage.useCases.updateSeen({ by: OPERATOR, id }, { type: 'set_title', title }, { title: seen });
    await rename('theirs', null);
    const outcome = await rename('mine', null);
    expect(outcome).to.deep.include({ kind: 'overtaken' });
    expect(outcome.kind === 'overtaken' && outcome.publication.title).to.equal('theirs');
    expect((await rename('mine', 'theirs')).kind).to.equal('changed');
  });

  it('does not overwrite a password that was set since the caller saw it', async () => {
    const removePassword = (generation: Publication['generation']) =>
      stage.useCases.updateSeen(
        { by: OPERATOR, id },
        { type: 'set_password', password: null },
        { generation },
      );
    const { generation } = await role();
    await stage.useCases.update({ by: OPERATOR, id }, { type: 'set_password', password: 'long enough' });
    expect((await removePassword(generation)).kind).to.equal('overtaken');
    expect((await role()).passwordProtected).to.equal(true);
    expect((await removePassword((await role()).generation)).kind, 'as it was seen').to.equal('changed');
  });

  it('writes nothing when nothing changes', async () => {
    const save: RoleStore['save'] = () => Promise.reject(new Error('saved'));
    const { unpin } = stage.with({ roles: replacing(stage.memory.roles, { save }) });
    expect((await unpin({ by: OPERATOR, id })).kind).to.equal('changed');
  });
});

describe('listing roles', () => {
  const stage = stageOfEachTest();
  beforeEach(async () => {
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      await stage.publish({ key: name as IdempotencyKey, title: name as Title });
      stage.clock.advance(minutes(1));
    }
  });

  it('searches titles whatever their case and width', async () => {
    const page = await stage.useCases.list({ by: OWNER, limit: 10, search: 'ＡＬＰＨ' });
    expect(page.kind === 'page' && page.publications.map(({ title }) => title)).to.deep.equal(['Alpha']);
  });

  it('finds the role of a key in any state, and none of another account', async () => {
    const key = 'Beta' as IdempotencyKey;
    const found = await stage.useCases.findByKey({ by: OWNER, key });
    expect(found?.title).to.equal('Beta');
    await stage.useCases.stop({ by: OPERATOR, id: found?.id as RoleId });
    expect((await stage.useCases.findByKey({ by: OWNER, key }))?.deletedAt).to.be.a('number');
    expect(await stage.useCases.findByKey({ by: OTHER_ACCOUNT, key })).to.equal(undefined);
    expect(await stage.useCases.findByKey({ by: OWNER, key: 'nothing' as IdempotencyKey })).to.equal(
      undefined,
    );
  });
});
