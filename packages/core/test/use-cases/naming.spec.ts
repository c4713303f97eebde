import { days, type RoleId } from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { createSharing } from '@pinfold/core/sharing';
import { aroundCalls, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, eventsOf, OWNER, stageOfEachTest } from './stage.ts';

const NOT_FOUND = { kind: 'refused', code: 'not_found' };

describe('Names', () => {
  const stage = stageOfEachTest();
  let [one, two] = ['' as RoleId, '' as RoleId];
  let sharing: ReturnType<typeof createSharing>;

  beforeEach(async () => {
    [one, two] = [await stage.publish({ key: 'one' }), await stage.publish({ key: 'two' })];
    sharing = createSharing(stage.ports, {}, { publicUrl: 'https://pages.example/', quotas: { names: 2 } });
  });

  const set = (pin: string, name = 'live', by: string = OWNER) => sharing.names.set({ by, name, pin });
  const get = (name = 'live', by: string = OWNER) => sharing.names.get({ by, name });
  const remove = (name = 'live', by: string = OWNER) => sharing.names.delete({ by, name });

  async function segmentOf(pin: string): Promise<string> {
    const outcome = await set(pin);
    if (outcome.kind === 'refused') throw new Error(outcome.code);
    return outcome.name.url.slice('https://pages.example/n/'.length);
  }

  const events = async () =>
    (await eventsOf(stage, { by: OWNER })).filter(({ type }) => type.startsWith('name.'));

  it('are created, moved and deleted, each with one event; the URL stays while the name exists', async () => {
    const made = await set(one);
    if (made.kind !== 'created') throw new Error(made.kind);
    expect(made.name).to.include({ name: 'live', pin: one, updatedAt: stage.clock.now() });
    stage.clock.advance(days(1));
    expect(await set(one.toUpperCase())).to.deep.equal({ kind: 'unchanged', name: made.name });
    const moved = { ...made.name, pin: two, previous: one, updatedAt: stage.clock.now() };
    expect(await set(two)).to.deep.equal({ kind: 'moved', name: moved });
    expect(await get()).to.deep.equal({ kind: 'found', name: moved });
    expect(await remove()).to.deep.equal({ kind: 'deleted' });
    for (const outcome of [get(), remove()]) expect(await outcome).to.deep.equal(NOT_FOUND);
    const recorded = (await events()).map(({ type, pin, name, actor: { id } }) => [type, pin, name, id]);
    expect(recorded).to.deep.equal([
      ['name.deleted', two, 'live', OWNER],
      ['name.set', two, 'live', OWNER],
      ['name.set', one, 'live', OWNER],
    ]);
    expect(await set(two)).not.to.have.nested.property('name.url', made.name.url);
  });

  it('are found and changed only by their account, for its own publications in service, within its quota', async () => {
    await set(one, 'a');
    await set(one, 'b');
    for (const foreign of [get('a', 'other'), remove('a', 'other'), set(one, 'a', 'other')]) {
      expect(await foreign).to.deep.equal(NOT_FOUND);
    }
    expect(await set(two, 'c')).to.include({ code: 'quota_exceeded', limit: 2, actual: 3 });
    await stage.useCases.stop({ by: OWNER, id: two });
    expect(await set(two, 'b')).to.include({ code: 'invalid_state', state: 'deleted' });
    expect(await get('b')).to.have.nested.property('name.pin', one);
  });

  it('are refused when malformed, and not found when read or deleted, without a read of the store', async () => {
    const names = aroundCalls(stage.memory.names, (name) => expect.fail(name));
    sharing = createSharing({ ...stage.ports, names });
    expect(await codeOf(set('none', 'A'))).to.equal('invalid_name');
    const request = await stage.request({ key: '', name: 'A' });
    expect(await codeOf(stage.useCases.publish(request)), 'before the key').to.equal('invalid_name');
    for (const outcome of [get('A'), remove('A'), set('none')])
      expect(await outcome).to.deep.equal(NOT_FOUND);
    expect(await sharing.visitName('live')).to.deep.equal({ kind: 'unknown' });
  });

  it('lead to their publication, or to the right spelling; an aborted visit rejects', async () => {
    const right = await segmentOf(one);
    for (const pin of [one, two]) {
      await set(pin);
      expect(await sharing.visitName(right)).to.have.nested.property('publication.id', pin);
    }
    expect(await sharing.visitName(right.replace('live', 'LIVE-1'))).to.deep.equal({
      kind: 'misspelled',
      segment: right,
    });
    for (const unknown of ['', 'live', right.slice(5), `live-${'0'.repeat(22)}`, `${right}0`]) {
      expect(await sharing.visitName(unknown), unknown).to.deep.equal({ kind: 'unknown' });
    }
    expect(await rejectionOf(sharing.visitName(right, AbortSignal.abort('gone')))).to.equal('gone');
  });

  it('remain when their publication stops, expires or is hidden, and lead nowhere', async () => {
    const right = await segmentOf(one);
    const { blockAccount, unblockAccount } = createAdministration(stage.ports);
    const cause = { actor: { kind: 'operator', id: 'eve' }, asOperator: true } as const;
    await blockAccount(OWNER, { reason: 'x', sites: 'hide' }, cause);
    for (const segment of [right, right.replace('live', 'other')]) {
      expect(await sharing.visitName(segment)).to.deep.equal({ kind: 'unknown' });
    }
    expect([await codeOf(set(two)), await codeOf(remove())]).to.deep.equal(Array(2).fill('account_blocked'));
    await unblockAccount(OWNER, cause);
    await stage.useCases.stop({ by: OWNER, id: one });
    expect(await sharing.visitName(right)).to.deep.equal({ kind: 'unknown' });
    expect(await get()).to.have.nested.property('name.pin', one);
    await set(two);
    stage.clock.advance(days(7));
    expect(await sharing.visitName(right)).to.deep.equal({ kind: 'expired' });
  });

  it('are returned by a publication as they are now; a replay, and a publication without a name, set none', async () => {
    const publish = async (key: string, more: { readonly name?: string | null }) => {
      const outcome = await stage.useCases.publish(await stage.request({ key, ...more }));
      if (outcome.kind === 'refused') throw new Error(outcome.code);
      return outcome;
    };
    const first = await publish('first', { name: 'live' });
    expect(first.name).to.include({ name: 'live', pin: first.publication.id });
    const second = await publish('second', { name: 'live' });
    expect(second.name).to.include({ url: first.name?.url, pin: second.publication.id });
    expect((await publish('first', { name: 'live' })).name).to.deep.equal(second.name);
    expect((await publish('first', { name: 'never-made' })).name).to.equal(null);
    for (const none of [{}, { name: null }]) {
      expect(await publish(JSON.stringify(none), none)).not.to.have.property('name');
    }
    const recorded = (await events()).map(({ type, pin }) => [type, pin]);
    expect(recorded).to.have.deep.members([first, second].map(({ publication: { id } }) => ['name.set', id]));
  });
});
