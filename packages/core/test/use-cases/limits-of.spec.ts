import {
  accountId,
  createUseCases,
  days,
  type Limits,
  OPERATOR,
  type OwnLimits,
  type Staging,
} from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

describe('limits by account', () => {
  const stage = stageOfEachTest();
  let own: OwnLimits | Error;
  let calls: string[];
  let useCases: ReturnType<typeof createUseCases>;
  beforeEach(() => {
    calls = [];
    own = {};
    const limitsOf = async (account: string): Promise<OwnLimits> => {
      calls.push(account);
      if (own instanceof Error) throw own;
      return own;
    };
    useCases = createUseCases(stage.ports, { lifetime: days(7) }, { limitsOf });
  });

  it('are the general ones if the account has none of its own', async () => {
    expect(await useCases.limitsOf(OWNER)).to.deep.equal(useCases.limits);
    expect(await stage.useCases.limitsOf(OWNER)).to.deep.equal(stage.useCases.limits);
  });

  it('are the general ones if a member is undefined, and reject an answer that is not an object', async () => {
    own = { files: undefined, lifetime: undefined } as unknown as OwnLimits;
    expect(await useCases.limitsOf(OWNER)).to.deep.equal(useCases.limits);
    const wrong = [
      [undefined, 'limitsOf must answer an object'],
      [null, 'limitsOf must answer an object'],
      [{ archive_bytes: 1 }, 'limits has no archive_bytes'],
    ] as const;
    for (const [answer, message] of wrong) {
      own = answer as unknown as OwnLimits;
      const thrown = await rejectionOf(useCases.limitsOf(OWNER));
      expect(thrown).to.be.instanceOf(TypeError).with.property('message', message);
    }
  });

  it('apply to the publications of the account and their lifetime', async () => {
    own = { lifetime: days(30), files: 1 };
    const outcome = await useCases.publish(await stage.request());
    if (outcome.kind === 'refused') throw new Error(outcome.code);
    expect(outcome.publication.expiresAt).to.equal(outcome.publication.publishedAt + days(30));
    stage.inspector.entries = [{ name: 'index.html' }, { name: 'two.html' }];
    expect(await useCases.publish(await stage.request({ key: 'two', bytes: 'two' }))).to.have.property(
      'code',
      'invalid_archive',
    );
    expect(await useCases.check(await stage.request({ bytes: 'two' }))).to.have.property(
      'code',
      'invalid_archive',
    );
    expect(calls).to.deep.equal([OWNER, OWNER, OWNER]);
  });

  it('apply to bytes that publishing receives', async () => {
    const limits: number[] = [];
    const receive: Staging['receive'] = (_body, limit) => {
      limits.push(limit);
      return Promise.resolve({ kind: 'too_large' });
    };
    const staging = { ...stage.ports.staging, receive };
    own = { archiveBytes: 500 };
    useCases = createUseCases({ ...stage.ports, staging }, {}, { limitsOf: () => own as OwnLimits });
    const request = { by: OWNER, key: 'k', filename: 'site.zip', archive: new Uint8Array(501) };
    const refused = { kind: 'refused', code: 'archive_too_large', limit: 500 };
    expect(await useCases.publish(request)).to.deep.equal(refused);
    expect(await useCases.check(request)).to.deep.equal(refused);
    expect(limits).to.deep.equal([500, 500]);
  });

  it('apply when a publication is renewed or unpinned, by the owner or the operator', async () => {
    const id = await stage.publish();
    own = { lifetime: days(30) };
    const renewed = await useCases.update({ by: OPERATOR, id }, { type: 'reset_expiration' });
    expect(calls).to.deep.equal([OWNER]);
    expect(renewed).to.have.nested.property('publication.expiresAt', stage.clock.now() + days(30));
    await useCases.pin({ by: OWNER, id });
    own = { lifetime: days(30), renewal: days(1) };
    expect(await useCases.unpin({ by: OWNER, id })).to.have.nested.property(
      'publication.expiresAt',
      stage.clock.now() + days(1),
    );
  });

  it('are not requested if nothing lives longer, so that they cannot prevent a stop', async () => {
    const id = await stage.publish();
    own = new Error('the directory is away');
    expect(await useCases.pin({ by: OWNER, id })).to.have.property('kind', 'changed');
    expect(await useCases.update({ by: OWNER, id }, { type: 'set_title', title: 'x' })).to.have.property(
      'kind',
      'changed',
    );
    expect(await useCases.stop({ by: OWNER, id })).to.have.property('kind', 'changed');
    expect(calls).to.deep.equal([]);
  });

  it('end a request with the error of the function, and free its key', async () => {
    own = new Error('the directory is away');
    expect(await rejectionOf(useCases.publish(await stage.request()))).to.equal(own);
    own = {};
    expect((await useCases.publish(await stage.request())).kind).to.equal('published');
  });

  it('throw a TypeError if they contradict one another', async () => {
    const wrong: readonly Partial<Limits>[] = [
      { fileBytes: 2 ** 40 },
      { files: -1 },
      { lifetime: NaN as never },
    ];
    for (const limits of wrong) {
      own = limits;
      expect(await rejectionOf(useCases.limitsOf(accountId('ada')))).to.be.instanceOf(TypeError);
    }
  });
});
