import {
  type Actor,
  accountId,
  type IdempotencyKey,
  type Keys,
  OPERATOR,
  type Password,
  type RoleId,
  type Sessions,
} from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { listedKeys } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { codeOf, OWNER, stageOfEachTest } from './stage.ts';

/** Values that a caller without types may pass if it forgets the actor. */
const NOBODY: readonly unknown[] = [undefined, null, '', 0, true, {}, ['owner'], Symbol('operator')];

describe('authority', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  let keys: Keys;
  let sessions: Sessions;
  beforeEach(async () => {
    id = await stage.publish();
    keys = createKeys(stage.ports);
    sessions = createSessions(stage.ports, keys);
  });

  /** Everything that reads or changes a role on behalf of an actor, its end last. */
  function actions(by: Actor): readonly (() => Promise<{ readonly kind: string }>)[] {
    const { read, update, pin, unpin, stop } = stage.useCases;
    const request = { by, id };
    return [
      () => read({ by, id }),
      () => update(request, { type: 'set_title', title: null }),
      () => update(request, { type: 'set_password', password: 'long enough' as Password }),
      () => update(request, { type: 'set_password', password: null }),
      () => update(request, { type: 'reset_expiration' }),
      () => pin(request),
      () => unpin(request),
      () => stop(request),
    ];
  }

  it('lets an owner reach its own roles, and the operator any', async () => {
    for (const action of actions(OWNER)) expect((await action()).kind).to.be.oneOf(['found', 'changed']);
    id = await stage.publish({ key: 'key-2' as IdempotencyKey });
    for (const action of actions(OPERATOR)) expect((await action()).kind).to.be.oneOf(['found', 'changed']);
  });

  it('hides the roles of other accounts like unknown ones', async () => {
    for (const action of actions(accountId('stranger'))) expect(await codeOf(action())).to.equal('not_found');
    id = 'ffffffff-ffff-4fff-8fff-ffffffffffff' as RoleId;
    for (const action of actions(OWNER)) expect(await codeOf(action())).to.equal('not_found');
  });

  it('makes every call without an actor throw a TypeError, and change nothing', async () => {
    const before = await stage.memory.roles.load(id);
    const key = (await keys.create({ by: OPERATOR, account: OWNER })).key;
    for (const nobody of NOBODY as readonly never[]) {
      const others = [
        () => stage.useCases.list({ by: nobody, limit: 1 }),
        () => stage.useCases.findByKey({ by: nobody, key: 'key-1' as IdempotencyKey }),
        async () => stage.useCases.publish(await stage.request({ by: nobody })),
        async () => stage.useCases.check({ ...(await stage.request()), by: nobody }),
        () => keys.list({ by: nobody }),
        () => keys.revoke({ id: key.id, by: nobody }),
        () => keys.create({ by: OPERATOR, account: nobody }),
        () => sessions.offerLink(nobody),
      ];
      for (const action of [...actions(nobody), ...others]) {
        expect(await action().catch((error: unknown) => error)).to.be.an.instanceOf(TypeError);
      }
    }
    expect(await stage.memory.roles.load(id)).to.deep.equal(before);
    expect(await listedKeys(keys, OPERATOR)).to.deep.equal([key]);
  });

  it('refuses the operator a list of its own, since lists belong to accounts', async () => {
    const operator = OPERATOR as never;
    expect(await codeOf(stage.useCases.list({ by: operator, limit: 1 }))).to.be.an.instanceOf(TypeError);
  });
});
