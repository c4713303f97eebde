import {
  createUseCases,
  defaultLimits,
  type Measurement,
  OPERATOR,
  type PublishRequest,
  type RoleState,
  type Staging,
  type Update,
  type UseCases,
} from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { createCleaning } from '@pinfold/core/cleaning';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, isStaged, OWNER, type StagedRequest, stageOfEachTest } from './stage.ts';

describe('use cases over plain values', () => {
  const stage = stageOfEachTest();

  const long = 'a'.repeat(5_000);
  const wrong: readonly (readonly [unknown, Partial<Record<keyof PublishRequest, unknown>>])[] = [
    ['invalid_idempotency_key', { key: '' }],
    ['invalid_idempotency_key', { key: 'ключ' }],
    ['invalid_idempotency_key', { key: undefined }],
    ['invalid_idempotency_key', { key: 'k'.repeat(256) }],
    ['invalid_filename', { filename: '' }],
    ['invalid_filename', { filename: undefined }],
    ['invalid_filename', { filename: '../' }],
    ['invalid_filename', { filename: 'a\0.zip' }],
    ['invalid_title', { title: long }],
    ['invalid_title', { title: 5 }],
    ['invalid_title', { title: '\ud800' }],
  ];
  for (const [code, differing] of wrong) {
    it(`refuses to publish ${JSON.stringify(differing).slice(0, 40)}`, async () => {
      const request = { ...(await stage.request()), ...differing } as StagedRequest;
      expect(await codeOf(stage.useCases.publish(request))).to.equal(code);
      expect(isStaged(request), 'discarded').to.equal(false);
      expect(await stage.memory.archives.list(undefined, 1)).to.deep.equal([]);
    });
  }

  it('uses only the last segment of a path, and treats an empty title as none', async () => {
    const outcome = await stage.useCases.publish({
      ...(await stage.request()),
      filename: '..\\..\\x/site.zip',
      title: '',
    });
    expect(outcome.kind === 'published' && outcome.publication).to.deep.include({
      originalFilename: 'site.zip',
      title: null,
    });
  });

  it('accepts a key with quotes as it is: only headers remove them', async () => {
    await stage.publish({ key: '"key"' });
    expect(await stage.useCases.findByKey({ by: OWNER, key: 'key' })).to.equal(undefined);
    expect(await stage.useCases.findByKey({ by: OWNER, key: '"key"' })).not.to.equal(undefined);
    const list = () => expect.fail('asked');
    const { findByKey } = stage.with({ roles: replacing(stage.memory.roles, { list }) });
    expect(await findByKey({ by: OWNER, key: '' })).to.equal(undefined);
  });

  it('receives the bytes of an archive, or a stream of them, and no more than the limit', async () => {
    const limits: number[] = [];
    const staging = {
      receive: async (body: AsyncIterable<Uint8Array>, limit: number) => {
        limits.push(limit);
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        const bytes = Buffer.concat(chunks).toString();
        return bytes === 'large'
          ? { kind: 'too_large' }
          : { kind: 'received', archive: (await stage.request({ bytes })).archive };
      },
    } as unknown as Staging;
    const { publish, check } = stage.with({ staging });
    const publishRequest = { by: OWNER, key: 'k', filename: 'site.zip' };
    const bytes = Buffer.from('PK bytes');
    const published = await publish({ ...publishRequest, archive: bytes });
    expect(published.kind).to.equal('published');
    const again = await publish({ ...publishRequest, archive: ReadableStream.from([bytes]) });
    expect(again.kind).to.equal('replayed');
    expect((await check({ by: OWNER, archive: bytes })).kind).to.equal('checked');
    const large = { kind: 'refused', code: 'archive_too_large', limit: defaultLimits.archiveBytes };
    expect(await check({ by: OWNER, archive: Buffer.from('large') })).to.deep.equal(large);
    expect(limits).to.deep.equal(Array(4).fill(defaultLimits.archiveBytes));
  });

  const noArchives: readonly (readonly [string, unknown])[] = [
    ['the path of a file', 'site.zip'],
    ['nothing', undefined],
    ['null', null],
    ['a buffer without a view', new ArrayBuffer(4)],
    ['a Blob', new Blob(['PK'])],
    ['a promise of bytes', Promise.resolve(Buffer.from('PK'))],
    ['a list of numbers', [80, 75]],
  ];
  for (const [description, archive] of noArchives) {
    it(`rejects ${description} as an archive, and names what it must be`, async () => {
      const publishRequest = { by: OWNER, key: 'k', filename: 'site.zip', archive } as PublishRequest;
      for (const outcome of [stage.useCases.publish(publishRequest), stage.useCases.check(publishRequest)]) {
        expect(await rejectionOf(outcome))
          .to.be.instanceOf(TypeError)
          .with.property('message', 'archive must be the bytes of a ZIP (Uint8Array), or a stream of them');
      }
    });
  }

  it('rejects a stream of texts as an archive, and names what it must be', async () => {
    const staging = {
      receive: async (body: AsyncIterable<Uint8Array>) => {
        for await (const _chunk of body);
      },
    } as unknown as Staging;
    const archive = ReadableStream.from(['PK']) as AsyncIterable<never>;
    const { publish } = stage.with({ staging });
    const thrown = await rejectionOf(publish({ by: OWNER, key: 'k', filename: 'site.zip', archive }));
    expect(thrown).to.be.instanceOf(TypeError).with.property('message').that.includes('archive must be');
  });

  it('rejects unknown updates and states, and names the known ones', async () => {
    const id = await stage.publish();
    for (const update of [undefined, {}, { type: 'nothing' }, { type: 'pin' }, { type: 'stop' }]) {
      const thrown = await rejectionOf(stage.useCases.update({ by: OWNER, id }, update as Update));
      expect(thrown)
        .to.be.instanceOf(TypeError)
        .with.property('message', 'an update is set_title, set_password or reset_expiration');
    }
    const read = await stage.useCases.read({ by: OWNER, id });
    expect(read.kind === 'found' && read.publication).to.include({ pinned: false, deletedAt: null });
    const listed = await rejectionOf(stage.useCases.list({ by: OWNER, state: 'gone' as RoleState }));
    expect(listed)
      .to.be.instanceOf(TypeError)
      .with.property('message', 'state is published, expired or deleted');
  });

  it('finds no role by an invalid id, and a role by its id in capitals', async () => {
    const id = await stage.publish();
    const load = () => expect.fail('asked');
    const { read, stop, enter, visit } = stage.with({ roles: replacing(stage.memory.roles, { load }) });
    const { showRole, takeDown } = createAdministration({
      ...stage.ports,
      roles: { ...stage.ports.roles, load },
    });
    const cause = { actor: { kind: 'operator', id: null } } as const;
    for (const none of ['', '../x', `${id}0`, undefined as never]) {
      expect(await codeOf(read({ by: OPERATOR, id: none }))).to.equal('not_found');
      expect(await codeOf(stop({ by: OPERATOR, id: none }))).to.equal('not_found');
      expect(await visit(none)).to.deep.equal({ kind: 'unknown' });
      expect((await enter({ id: none, password: 'x', address: '::1' })).kind).to.equal('unknown');
      expect(await codeOf(showRole(none))).to.equal('not_found');
      expect(await codeOf(takeDown({ id: none, reason: 'x', cause }))).to.equal('not_found');
    }
    expect((await stage.useCases.read({ by: OWNER, id: id.toUpperCase() })).kind).to.equal('found');
  });

  it('refuses an invalid new title or password, and changes nothing', async () => {
    const id = await stage.publish();
    const before = await stage.memory.roles.load(id);
    const { update } = stage.useCases;
    const by = OWNER;
    expect(await codeOf(update({ by, id }, { type: 'set_title', title: long }))).to.equal('invalid_title');
    expect(await codeOf(update({ by, id }, { type: 'set_password', password: 'short' }))).to.equal(
      'invalid_password',
    );
    expect(await stage.memory.roles.load(id)).to.deep.equal(before);
  });

  it('returns pages of 1 to 100, by default 20', async () => {
    const limits: number[] = [];
    const { list } = stage.with({
      roles: replacing(stage.memory.roles, {
        list: (query) => {
          limits.push(query.limit);
          return stage.memory.roles.list(query);
        },
      }),
    });
    for (const limit of [{}, { limit: 1 }, { limit: 100 }]) await list({ by: OWNER, ...limit });
    expect(limits).to.deep.equal([20, 1, 100]);
    for (const limit of [0, 101, 1.5, '20' as never]) {
      expect(await rejectionOf(list({ by: OWNER, limit }))).to.be.an.instanceOf(TypeError);
    }
  });

  it('are functions that can be replaced one by one', async () => {
    const published: string[] = [];
    const { useCases } = stage;
    const decorated: UseCases = {
      ...useCases,
      publish: async (request) => {
        const outcome = await useCases.publish(request);
        if (outcome.kind === 'published') published.push(outcome.publication.id);
        return outcome;
      },
    };
    await decorated.publish(await stage.request());
    expect(published).to.have.length(1);
  });

  it('report their calls and durations to an observer', async () => {
    const measurements: Measurement[] = [];
    const options = { observe: (measurement: Measurement) => void measurements.push(measurement) };
    const { publish, enter } = createUseCases(stage.ports, {}, options);
    const { cleanUp } = createCleaning(stage.ports, {}, options);
    const outcome = await publish(await stage.request());
    await publish({ ...(await stage.request()), title: 'another' });
    const id = outcome.kind === 'published' ? outcome.publication.id : '';
    await enter({ id, password: 'x', address: '::1' });
    const report = await cleanUp();
    const took = 0;
    expect(measurements).to.deep.equal([
      { kind: 'stage', stage: 'prove', took },
      { kind: 'stage', stage: 'store', took },
      { kind: 'stage', stage: 'commit', took },
      { kind: 'publish', outcome: 'published' },
      { kind: 'publish', outcome: 'idempotency_mismatch' },
      { kind: 'try', outcome: 'not_protected' },
      { kind: 'sweep', report, took },
    ]);
  });
});
