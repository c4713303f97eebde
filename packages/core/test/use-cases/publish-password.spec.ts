import { Fault } from '@pinfold/core';
import { expect } from 'chai';
import { codeOf, eventsOf, stageOfEachTest } from './stage.ts';

describe('publishing with a password', () => {
  const stage = stageOfEachTest();

  it('commits a role with the hash of its password, and one event', async () => {
    const outcome = await stage.useCases.publish(await stage.request({ password: 'long enough' }));
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    expect(outcome.publication.passwordProtected).to.equal(true);
    expect((await eventsOf(stage)).map(({ type }) => type)).to.deep.equal(['pin.published']);
  });

  it('does not hash the password for a replay, a dry run or an archive that breaks rules', async () => {
    await stage.publish();
    const hash = () => Promise.reject(new Error('hashed'));
    const { publish, check } = stage.with({ passwords: { ...stage.ports.passwords, hash } });
    const password = 'long enough';
    expect((await publish(await stage.request({ password }))).kind).to.equal('replayed');
    expect((await check(await stage.request({ password }))).kind).to.equal('checked');
    stage.inspector.problems = [{ rule: 'not_a_zip' }];
    expect(await codeOf(publish(await stage.request({ password, key: 'other' })))).to.equal(
      'invalid_archive',
    );
  });

  it('frees the key and stores nothing if too many passwords wait to be hashed', async () => {
    const hash = () => Promise.reject(new Fault('hasher_overloaded', 'too many wait'));
    const { publish } = stage.with({ passwords: { ...stage.ports.passwords, hash } });
    const password = 'long enough';
    expect(await codeOf(publish(await stage.request({ password })))).to.equal('hasher_overloaded');
    expect(await stage.memory.archives.list(undefined, 10)).to.deep.equal([]);
    expect((await stage.useCases.publish(await stage.request({ bytes: 'other' }))).kind).to.equal(
      'published',
    );
  });

  it('refuses a password beyond its limits before it receives the archive', async () => {
    const refusal = await stage.useCases.publish(await stage.request({ password: 'short' }));
    expect(refusal).to.include({ code: 'invalid_password', rule: 'too_short' });
  });
});
