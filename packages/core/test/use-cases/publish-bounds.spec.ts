import {
  type AccountLimits,
  createUseCases,
  hours,
  type PublicationLimits,
  type RoleStore,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_LIMITS } from '@pinfold/core/adapter';
import { anEvent, replacing } from '@pinfold/test-contracts/fixtures';
import { BLOCK } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { codeOf, OWNER, openStage, type Stage } from './stage.ts';

describe('publishing within bounds', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage();
  });

  const publishing = (quotas: Partial<PublicationLimits>, roles?: RoleStore) => {
    const useCases = createUseCases({ ...stage.ports, ...(roles && { roles }) }, {}, { quotas });
    return async (key: string) => useCases.publish(await stage.request({ key }));
  };

  async function setAccount(change: { limits?: AccountLimits; blocked?: typeof BLOCK }): Promise<void> {
    const { accounts } = stage.memory;
    const fresh = { name: OWNER, limits: NO_LIMITS, blocked: null, generation: FIRST_GENERATION };
    const version = (await accounts.load(OWNER))?.version;
    expect((await accounts.save({ ...fresh, ...change }, version, [anEvent()])).kind).to.equal('saved');
  }

  async function archives(): Promise<number> {
    return (await stage.memory.archives.list(undefined, 100)).length;
  }

  it('refuses what is past the rate before it is proved, and answers replays all the same', async () => {
    const publish = publishing({ publications: { count: 1, window: hours(1) } });
    expect((await publish('a')).kind).to.equal('published');
    let proved = 0;
    stage.inspector.during = async () => {
      proved += 1;
    };
    const retryAt = stage.clock.now() + hours(1);
    expect(await publish('b')).to.deep.equal({ kind: 'refused', code: 'rate_limited', retryAt });
    expect(proved).to.equal(0);
    expect((await publish('a')).kind).to.equal('replayed');
    stage.clock.advance(hours(1));
    expect((await publish('b')).kind).to.equal('published');
  });

  it('refuses what is past a quota with what there would be', async () => {
    const publish = publishing({ sites: 1 });
    await publish('a');
    const told = { rule: 'sites', limit: 1, actual: 2 };
    expect(await publish('b')).to.deep.equal({ kind: 'refused', code: 'quota_exceeded', ...told });
  });

  it('refuses everything to a blocked account, replays too', async () => {
    const publish = publishing({});
    await publish('a');
    await setAccount({ blocked: BLOCK });
    const refused = { kind: 'refused', code: 'account_blocked', reason: BLOCK.reason };
    for (const key of ['a', 'b']) expect(await publish(key)).to.deep.equal(refused);
  });

  it('leaves neither archive nor reservation when only the commit is refused', async () => {
    const late = replacing(stage.memory.roles, {
      commit: async (publication, lease, events) => {
        await setAccount({ blocked: BLOCK });
        return await stage.memory.roles.commit(publication, lease, events);
      },
    });
    expect(await codeOf(publishing({}, late)('a'))).to.equal('account_blocked');
    expect(await archives()).to.equal(0);
    await setAccount({});
    expect((await publishing({})('a')).kind).to.equal('published');
  });
});
