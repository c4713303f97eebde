import { createUseCases, hours, type Quotas } from '@pinfold/core';
import { expect } from 'chai';
import { stageOfEachTest } from './stage.ts';

describe('publishing within bounds', () => {
  const stage = stageOfEachTest();

  const publishing = (quotas: Quotas) => {
    const useCases = createUseCases(stage.ports, {}, { quotas });
    return async (key: string) => useCases.publish(await stage.request({ key }));
  };

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
    const told = { rule: 'sites', limit: 1, actual: 2 };
    for (const quotas of [{ sites: 1 }, async (account: string) => ({ sites: account.length - 4 })]) {
      const publish = publishing(quotas);
      await publish('a');
      expect(await publish('b')).to.deep.equal({ kind: 'refused', code: 'quota_exceeded', ...told });
    }
  });
});
