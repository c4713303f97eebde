import { expect } from 'chai';
import { causeOf } from '../../src/domain/actor.ts';
import type { ApiKeyId } from '../../src/domain/api-key.ts';
import { isSameActor } from '../../src/domain/history.ts';
import { accountId, OPERATOR } from '../../src/index.ts';

describe('the operator', () => {
  it('is recognized by another copy of the package', async () => {
    const another = new URL('../../src/domain/actor.ts?another', import.meta.url).href;
    const copy: typeof import('../../src/domain/actor.ts') = await import(another);
    expect(copy.OPERATOR).to.equal(OPERATOR);
    expect(Symbol.for('@pinfold/core/operator'), 'the mark of every version').to.equal(OPERATOR);
    expect(copy.accountOfActor(OPERATOR)).to.equal(undefined);
  });
});

describe('an actor of the history', () => {
  it('differs by its id, and by its kind with the same id', () => {
    const ada = { kind: 'operator', id: 'ada' } as const;
    expect(isSameActor(ada, { ...ada })).to.equal(true);
    expect(isSameActor(ada, { ...ada, id: 'bob' })).to.equal(false);
    expect(isSameActor(ada, { ...ada, id: null })).to.equal(false);
    expect(isSameActor(ada, { ...ada, kind: 'person' })).to.equal(false);
  });
});

describe('the cause that the history records of a request', () => {
  const origin = { request: 'r-1', address: '192.0.2.7' };

  it('is the key, else the person, else the account, with the origin of the request', () => {
    const account = accountId('team');
    const key = '4fJ2' as ApiKeyId;
    for (const [caller, actor] of [
      [
        { account, key, person: 'ada' },
        { kind: 'key', id: key },
      ],
      [
        { account, person: 'ada' },
        { kind: 'person', id: 'ada' },
      ],
      [{ account }, { kind: 'person', id: account }],
    ] as const) {
      expect(causeOf({ scopes: [], ...caller }, origin)).to.deep.equal({ actor, ...origin });
      expect(causeOf({ scopes: [], ...caller })).to.deep.equal({ actor });
    }
  });

  it('has no person without a name', () => {
    expect(() => causeOf({ account: accountId('team'), scopes: [], person: '' })).to.throw(TypeError);
  });
});
