import { expect } from 'chai';
import { instrument, type Observer } from '../../src/adapter.ts';

/** A store whose methods need `this`, and whose class extends another. */
class Base {
  readonly #name = 'mine';
  async countForCleanup(): Promise<string> {
    return this.#name;
  }
}
class Store extends Base {
  size = 1;
  async load(id: string): Promise<string> {
    return `${id} of ${await this.countForCleanup()}`;
  }
}

describe('instrumented ports', () => {
  function observer(name: string, calls: string[]): Observer {
    return (call, method, port) =>
      async (...inputs) => {
        calls.push(`${name} before ${port}.${method}`);
        const outcome = await call(...inputs);
        calls.push(`${name} after ${port}.${method}`);
        return outcome;
      };
  }

  it('pass through the observers in order, the first one nearest to the store', async () => {
    const calls: string[] = [];
    const apiKeys = { find: async () => calls.push('find') };
    const observed = instrument({ apiKeys }, [observer('inner', calls), observer('outer', calls)]);
    await observed.apiKeys.find();
    expect(calls).to.deep.equal([
      'outer before api_keys.find',
      'inner before api_keys.find',
      'find',
      'inner after api_keys.find',
      'outer after api_keys.find',
    ]);
  });

  it('call every method of a class, even inherited ones, on the store itself', async () => {
    const calls: string[] = [];
    const store = new Store();
    const { roles } = instrument({ roles: store }, [observer('one', calls)]);
    expect(await roles.load('x')).to.equal('x of mine');
    expect(await roles.countForCleanup()).to.equal('mine');
    expect(calls.filter((call) => call.includes('before'))).to.deep.equal([
      'one before roles.load',
      'one before roles.countForCleanup',
    ]);
    store.size = 2;
    expect(roles.size).to.equal(2);
  });

  it('are wrapped once, and those that no observer wraps work as before', async () => {
    const offered: string[] = [];
    const only: Observer = (call, method, port) => {
      offered.push(`${port}.${method}`);
      return call;
    };
    const clock = { now: () => 1 };
    const { roles, clock: same } = instrument({ roles: { load: async () => 'a role' }, clock }, [only]);
    expect(await roles.load()).to.equal(await roles.load());
    expect(offered).to.deep.equal(['roles.load']);
    expect(same).to.equal(clock);
  });

  it('reject with the error that a method rejects with or throws', async () => {
    const failing = {
      load: (): Promise<never> => Promise.reject(new Error('away')),
      find: (): Promise<never> => {
        throw new TypeError('wrong');
      },
    };
    const { roles } = instrument({ roles: failing }, [(call) => call]);
    const messageOf = (error: Error) => error.message;
    expect(await roles.load().catch(messageOf)).to.equal('away');
    expect(await roles.find().catch(messageOf)).to.equal('wrong');
  });
});
