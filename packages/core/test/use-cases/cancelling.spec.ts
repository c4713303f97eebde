import { hours, type RateText, seconds } from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, OWNER, stageOfEachTest } from './stage.ts';

const CANCELLED = { kind: 'cancelled' };

describe('cancelling a publication', () => {
  const stage = stageOfEachTest();
  const cancel = (key = 'key-1', by: string = OWNER) => stage.useCases.cancel({ by, key });

  it('prevents an upload that arrives later from being published, for as long as an upload may take', async () => {
    expect(await cancel()).to.deep.equal(CANCELLED);
    stage.clock.advance(hours(11));
    expect(await codeOf(stage.useCases.publish(await stage.request()))).to.equal('idempotency_mismatch');
    expect(await cancel(), 'cancelled twice').to.deep.equal(CANCELLED);
    await stage.publish({ by: 'other' });
    await stage.publish({ key: 'key-2' });
  });

  it('answers that a publication is running under the key, and after its end that it was published', async () => {
    let answer: unknown;
    stage.inspector.during = async () => {
      answer = await cancel();
    };
    const id = await stage.publish();
    expect(answer).to.deep.equal({ kind: 'running' });
    const outcome = await cancel();
    expect(outcome).to.deep.include({ kind: 'published' });
    expect(outcome.kind === 'published' && outcome.publication.id).to.equal(id);
    await stage.useCases.stop({ by: OWNER, id });
    expect(await cancel()).to.deep.nested.include({ 'publication.state': 'deleted' });
  });

  it('cancels the key of a refused publication, and of a killed one once its lease has lapsed', async () => {
    stage.inspector.problems = [{ rule: 'truncated' }];
    expect(await codeOf(stage.useCases.publish(await stage.request()))).to.equal('invalid_archive');
    expect(await cancel()).to.deep.equal(CANCELLED);
    const killed = Promise.withResolvers<void>();
    const put = () => new Promise<never>(() => killed.resolve());
    const archives = replacing(stage.memory.archives, { put });
    stage.inspector.problems = [];
    void stage.with({ archives }).publish(await stage.request({ key: 'killed' }));
    await killed.promise;
    expect(await cancel('killed')).to.deep.equal({ kind: 'running' });
    stage.clock.advance(seconds(60));
    expect(await cancel('killed')).to.deep.equal(CANCELLED);
  });

  it('works for an account at its limits, but not if a rate would soon admit an upload under way', async () => {
    const { limitAccount } = createAdministration(stage.ports);
    const cause = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;
    await stage.publish({ key: 'first' });
    await limitAccount(OWNER, { sites: 1 }, cause);
    expect(await cancel('a')).to.deep.equal(CANCELLED);
    await limitAccount(OWNER, { sites: 'off', publications: '1/1h' as RateText }, cause);
    await stage.publish({ key: 'second' });
    expect(await cancel('b')).to.deep.equal(CANCELLED);
    stage.clock.advance(seconds(3_570));
    expect(await cancel('b')).to.deep.equal({ kind: 'running' });
    stage.clock.advance(seconds(30));
    expect(await cancel('b')).to.deep.equal(CANCELLED);
  });

  it('refuses an invalid key', async () => {
    expect(await codeOf(cancel(''))).to.equal('invalid_idempotency_key');
  });
});
