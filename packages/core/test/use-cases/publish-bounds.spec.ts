import { setImmediate as turn } from 'node:timers/promises';
import { type ArchiveStorage, createUseCases, hours, type Quotas } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

describe('publishing within bounds', () => {
  const stage = stageOfEachTest();

  const publishing = (quotas: Quotas) => {
    const useCases = createUseCases(stage.ports, {}, { quotas });
    return async (key: string) => useCases.publish(await stage.request({ key }));
  };

  it('refuses publications beyond the rate before the proof, and still answers replays', async () => {
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

  it('bounds concurrent proofs of publications and dry runs together', async () => {
    const proofs: (() => void)[] = [];
    stage.inspector.during = () => new Promise((resolve) => proofs.push(resolve));
    const service = stage.with({}, { publishing: 3, proving: 1 });
    const { archive } = await stage.request();
    const outcomes = [
      service.publish(await stage.request({ key: 'a' })),
      service.publish(await stage.request({ key: 'b' })),
      service.check({ by: OWNER, archive }),
    ];
    for (const _ of outcomes) {
      while (proofs.length === 0) await turn();
      await turn();
      expect(proofs).to.have.length(1);
      proofs.shift()?.();
    }
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['published', 'published', 'checked']);
  });

  it('proves the next archive while one waits for the storage', async () => {
    const stored = Promise.withResolvers<void>();
    let puts = 0;
    const put: ArchiveStorage['put'] = async (...given) => {
      puts += 1;
      if (puts === 1) await stored.promise;
      await stage.memory.archives.put(...given);
    };
    const archives = replacing(stage.memory.archives, { put });
    const service = stage.with({ archives }, { publishing: 2, proving: 1 });
    const first = service.publish(await stage.request({ key: 'a' }));
    expect((await service.publish(await stage.request({ key: 'b' }))).kind).to.equal('published');
    stored.resolve();
    expect((await first).kind).to.equal('published');
  });

  it('refuses publications beyond a quota with the usage that they would cause', async () => {
    const details = { rule: 'sites', limit: 1, actual: 2 };
    for (const quotas of [{ sites: 1 }, async (account: string) => ({ sites: account.length - 4 })]) {
      const publish = publishing(quotas);
      await publish('a');
      expect(await publish('b')).to.deep.equal({ kind: 'refused', code: 'quota_exceeded', ...details });
    }
  });
});
