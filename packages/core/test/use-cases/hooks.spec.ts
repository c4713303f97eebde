import {
  createUseCases,
  type HistoryEvent,
  type Refusal,
  type Submitted,
  type Submitter,
} from '@pinfold/core';
import { instrument, onRoleEvents } from '@pinfold/core/adapter';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, isStaged, OWNER, stageOfEachTest } from './stage.ts';

const REFUSED: Refusal<'refused_by_host'> = {
  kind: 'refused',
  code: 'refused_by_host',
  rule: 'host:licence',
  words: { en: 'The site has no licence.' },
};

describe('rules of an embedding team', () => {
  const stage = stageOfEachTest();
  let calls: [Submitted, Submitter][];
  beforeEach(() => {
    calls = [];
  });

  const withRule = (answer: () => Refusal<'refused_by_host'> | undefined) =>
    createUseCases(
      stage.ports,
      {},
      {
        beforePublish: async (...all) => {
          calls.push(all);
          return answer();
        },
      },
    );

  it('are called with the archive to publish, and its publisher', async () => {
    const request = await stage.request({ cause: { actor: { kind: 'key', id: 'k1' } } });
    expect((await withRule(() => undefined).publish(request)).kind).to.equal('published');
    const [[listing, caller] = []] = calls;
    expect(listing?.entries.map(({ path }) => path)).to.deep.equal(['index.html']);
    expect(listing).to.include({ size: 4, archive: request.archive });
    expect(caller).to.deep.equal({ account: OWNER, cause: request.cause });
  });

  it('prevent an archive from being published and stored, with a message of their own, and free its key', async () => {
    const request = await stage.request();
    expect(await withRule(() => REFUSED).publish(request)).to.deep.equal(REFUSED);
    expect(isStaged(request)).to.equal(false);
    expect(await stage.memory.archives.list(undefined, 1)).to.deep.equal([]);
    expect((await stage.useCases.publish(await stage.request({ bytes: 'other' }))).kind).to.equal(
      'published',
    );
  });

  it('are also called in a dry run', async () => {
    const { archive } = await stage.request();
    expect(await withRule(() => REFUSED).check({ by: OWNER, archive })).to.deep.equal(REFUSED);
    const cause = { actor: { kind: 'person', id: OWNER } };
    expect(calls.map(([, caller]) => caller)).to.deep.equal([{ account: OWNER, cause }]);
  });

  it('are not called for an archive that breaks a rule of Pinfold, or for a replay', async () => {
    const useCases = withRule(() => undefined);
    stage.inspector.entries = [{ name: '.env' }];
    expect(await codeOf(useCases.publish(await stage.request()))).to.equal('invalid_archive');
    expect(calls).to.have.length(0);
    stage.inspector.entries = [{ name: 'index.html' }];
    await useCases.publish(await stage.request());
    expect((await useCases.publish(await stage.request())).kind).to.equal('replayed');
    expect(calls).to.have.length(1);
  });

  const nonsense: readonly unknown[] = [
    true,
    false,
    'no',
    {},
    { kind: 'refused', code: 'not_found' },
    { ...REFUSED, words: undefined },
    { ...REFUSED, words: { ja: 'ライセンスがありません。' } },
    { ...REFUSED, rule: 7 },
    { ...REFUSED, code: 'not_found' },
  ];
  for (const answer of nonsense) {
    it(`publish nothing when they answer ${JSON.stringify(answer)}, with an error that says what to answer`, async () => {
      const thrown = await rejectionOf(withRule(() => answer as undefined).publish(await stage.request()));
      expect(thrown)
        .to.be.instanceOf(TypeError)
        .with.property('message')
        .that.includes('beforePublish must answer undefined');
      expect(await stage.memory.archives.list(undefined, 1)).to.deep.equal([]);
    });
  }

  it('end a publication with the error that they throw, and it can be tried again', async () => {
    const away = new Error('the scanner is away');
    const broken = withRule(() => {
      throw away;
    });
    expect(await broken.publish(await stage.request()).catch((error: unknown) => error)).to.equal(away);
    expect((await withRule(() => undefined).publish(await stage.request())).kind).to.equal('published');
  });
});

describe('observers of publications', () => {
  const stage = stageOfEachTest();
  let observed: HistoryEvent[];
  beforeEach(() => {
    observed = [];
  });

  const types = () => observed.map(({ type }) => type);

  it('receive each change once, after it is stored', async () => {
    const { roles } = stage.memory;
    const observer = onRoleEvents((event) => observed.push(event));
    const observedRoles = instrument({ roles }, [observer]).roles;
    const useCases = stage.with({ roles: observedRoles });
    const outcome = await useCases.publish(await stage.request());
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const { id } = outcome.publication;
    expect(types()).to.deep.equal(['pin.published']);
    expect(observed[0]).to.include({ account: OWNER, pin: id });
    expect((await useCases.publish(await stage.request())).kind).to.equal('replayed');
    await useCases.pin({ by: OWNER, id });
    await useCases.pin({ by: OWNER, id });
    await useCases.stop({ by: OWNER, id });
    expect(types()).to.deep.equal(['pin.published', 'pin.pinned', 'pin.stopped']);
  });

  it('receive no event that was not stored', async () => {
    const { roles } = stage.memory;
    const id = await stage.publish();
    let lost = 1;
    const racing = replacing(roles, {
      commit: async () => ({ kind: 'lease_lost' }) as const,
      save: (...all) => {
        lost -= 1;
        return lost < 0 ? roles.save(...all) : Promise.resolve({ kind: 'conflict' } as const);
      },
    });
    const observer = onRoleEvents((event) => observed.push(event));
    const observedRoles = instrument({ roles: racing }, [observer]).roles;
    await stage.with({ roles: observedRoles }).pin({ by: OWNER, id });
    expect(types()).to.deep.equal(['pin.pinned']);
    const failing = replacing(roles, { save: () => Promise.reject(new Error('away')) });
    const silent = instrument({ roles: failing }, [observer]).roles;
    await codeOf(stage.with({ roles: silent }).stop({ by: OWNER, id }));
    const lease = { account: OWNER, key: 'k' as never, token: 't' as never };
    await observedRoles.commit({} as never, lease, [observed[0] as HistoryEvent]);
    expect(types()).to.deep.equal(['pin.pinned']);
  });
});
