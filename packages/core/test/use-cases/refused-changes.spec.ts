import { type Caller, hours, type Mode, OPERATOR, type Refusal, type RoleId } from '@pinfold/core';
import { createKeys } from '@pinfold/core/accounts';
import { createAdministration } from '@pinfold/core/administration';
import { createHistory } from '@pinfold/core/history';
import { expect } from 'chai';
import { codeOf, isStaged, OWNER, type Stage, stageOfEachTest } from './stage.ts';

const READ_ONLY: Mode = { kind: 'read_only', message: 'The database moves.' };
const BLOCK = { reason: 'x', sites: 'keep' } as const;
const BY_OPERATOR = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;

/** Ways to prevent changes by the owner. */
const REFUSING: readonly (readonly [
  what: string,
  refusal: Refusal,
  refuse: (stage: Stage) => Promise<unknown>,
  allow: (stage: Stage) => Promise<unknown>,
])[] = [
  [
    'a blocked account',
    { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason },
    ({ ports }) => createAdministration(ports).blockAccount(OWNER, BLOCK, BY_OPERATOR),
    ({ ports }) => createAdministration(ports).unblockAccount(OWNER, BY_OPERATOR),
  ],
  [
    'a service that is read-only',
    { kind: 'refused', code: 'read_only', message: READ_ONLY.message },
    ({ ports }) => createAdministration(ports).changeService(READ_ONLY, BY_OPERATOR),
    ({ ports }) => createAdministration(ports).changeService({ kind: 'normal', message: null }, BY_OPERATOR),
  ],
];

describe('use cases with a key that was revoked meanwhile', () => {
  const stage = stageOfEachTest();

  it('change nothing, and publish nothing', async () => {
    const keys = createKeys(stage.ports);
    const { key } = await keys.create({ by: OPERATOR, account: OWNER });
    const credential = { key: key.id };
    const id = await stage.publish();
    await keys.revoke({ by: OPERATOR, id: key.id });
    const unauthorized = { kind: 'refused', code: 'unauthorized' };
    const renamed = stage.useCases.update({ by: OWNER, id, credential }, { type: 'set_title', title: 'x' });
    expect(await renamed).to.deep.equal(unauthorized);
    const again = { ...(await stage.request({ key: 'again' })), credential };
    expect(await stage.useCases.publish(again)).to.deep.equal(unauthorized);
  });
});

for (const [what, refused, refuse, allow] of REFUSING) {
  const { code } = refused;
  describe(`use cases of ${what}`, () => {
    const stage = stageOfEachTest();
    let id: RoleId;
    beforeEach(async () => {
      id = await stage.publish();
      await refuse(stage);
    });

    it('change nothing for the owner, and everything for the operator', async () => {
      const changes = (by: Caller['account'] | typeof OPERATOR) => [
        () => stage.useCases.update({ by, id }, { type: 'set_title', title: 'New' }),
        () => stage.useCases.update({ by, id }, { type: 'set_password', password: 'a good password' }),
        () => stage.useCases.update({ by, id }, { type: 'reset_expiration' }),
        () => stage.useCases.pin({ by, id }),
        () => stage.useCases.unpin({ by, id }),
        () => stage.useCases.stop({ by, id }),
      ];
      const before = await stage.memory.roles.load(id);
      const [title, password, renewal, pin, , stop] = changes(OWNER);
      for (const change of [title, password, renewal, pin, stop]) {
        expect(await codeOf(change?.() ?? Promise.resolve())).to.equal(code);
      }
      expect(await stage.memory.roles.load(id)).to.deep.equal(before);
      for (const change of changes(OPERATOR)) expect((await change()).kind).to.equal('changed');
    });

    it('create no key for the owner, but revoke those of the owner', async () => {
      const keys = createKeys(stage.ports);
      expect(await codeOf(keys.create({ account: OWNER }))).to.equal(code);
      const { key } = await keys.create({ by: OPERATOR, account: OWNER });
      expect(await keys.revoke({ by: OWNER, id: key.id })).to.deep.equal({ kind: 'revoked' });
      const { text } = await stage.ports.apiKeySecrets.mint();
      await keys.ensure(text, { account: OWNER });
      expect(await keys.authenticate(text), 'a configured key is ensured').not.to.equal(undefined);
    });

    it('can still read', async () => {
      expect((await stage.useCases.read({ by: OWNER, id })).kind).to.equal('found');
      expect((await stage.useCases.list({ by: OWNER })).kind).to.equal('page');
      expect((await stage.useCases.visit(id)).kind).to.equal('published');
    });

    it('publish nothing, not even a replay, and leave the key free', async () => {
      const again = await stage.request();
      expect(await stage.useCases.publish(again)).to.deep.equal(refused);
      const fresh = await stage.request({ key: 'key-2', bytes: 'PK 2' });
      expect(await codeOf(stage.useCases.publish(fresh))).to.equal(code);
      expect([again, fresh].filter(isStaged)).to.deep.equal([]);
      await allow(stage);
      const retried = await stage.useCases.publish(await stage.request({ key: 'key-2', bytes: 'PK 2' }));
      expect(retried.kind).to.equal('published');
    });

    it('end a publication under way, remove its archive, and leave the key free', async () => {
      await allow(stage);
      stage.inspector.during = async () => void (await refuse(stage));
      const request = await stage.request({ key: 'key-2', bytes: 'PK 2' });
      expect(await codeOf(stage.useCases.publish(request))).to.equal(code);
      expect(await stage.memory.archives.list(undefined, 10), 'archives').to.have.length(1);
      stage.inspector.during = () => Promise.resolve();
      await allow(stage);
      const retried = await stage.useCases.publish(await stage.request({ key: 'key-2', bytes: 'PK 2' }));
      expect(retried.kind).to.equal('published');
    });
  });
}

describe('sweeps of a service that is read-only', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish();
    await stage.useCases.stop({ by: OWNER, id });
    stage.clock.advance(hours(24 * 8));
  });

  it('pause, and continue afterwards', async () => {
    await stage.memory.mode.change(READ_ONLY, []);
    const rested = await stage.useCases.cleanUp();
    expect(rested).to.include({ archives: 0, finished: false, rested: true });
    expect(await stage.memory.archives.list(undefined, 10)).to.have.length(1);
    await stage.memory.mode.change({ kind: 'normal', message: null }, []);
    expect(await stage.useCases.cleanUp()).to.include({ archives: 1, finished: true, rested: false });
  });

  it('count and compare everything in a dry run', async () => {
    await stage.memory.mode.change(READ_ONLY, []);
    const counted = { archives: 1, compared: 1, listing: 'done', finished: true, rested: false };
    expect(await stage.useCases.cleanUp({ dryRun: true })).to.include(counted);
  });

  it('stop when the service becomes read-only', async () => {
    const remove: typeof stage.memory.archives.delete = async (archive, signal) => {
      await stage.memory.mode.change(READ_ONLY, []);
      await stage.memory.archives.delete(archive, signal);
    };
    for (let n = 0; n < 20; n += 1) {
      const other = await stage.publish({ key: `key ${n}`, bytes: `PK ${n}` });
      await stage.useCases.stop({ by: OWNER, id: other });
    }
    stage.clock.advance(hours(2));
    const { cleanUp } = stage.with({ archives: { ...stage.memory.archives, delete: remove } });
    expect(await cleanUp()).to.include({ archives: 16, finished: false, rested: false });
  });

  it('record no expiration, and drop no event', async () => {
    const history = createHistory(stage.ports, { retention: hours(1) });
    await stage.memory.mode.change(READ_ONLY, []);
    const before = await history.list({ by: OPERATOR });
    await history.sweep();
    expect(await history.list({ by: OPERATOR })).to.deep.equal(before);
    await stage.memory.mode.change({ kind: 'normal', message: null }, []);
    await history.sweep();
    expect(await history.list({ by: OPERATOR })).not.to.deep.equal(before);
  });
});
