import {
  accountId,
  days,
  hours,
  OPERATOR,
  type OpenedArchive,
  type RoleId,
  type UseCases,
} from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, eventsOf, OWNER, stageOfEachTest } from './stage.ts';

const BYTES = 'PK and more';
const ADA = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;
const KEY = { actor: { kind: 'key', id: 'k1' }, asOperator: true } as const;

describe('reading the archive of a publication', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish({ bytes: BYTES });
  });

  async function opened(outcome: ReturnType<UseCases['openArchive']>): Promise<OpenedArchive> {
    const archive = await outcome;
    return archive.kind === 'opened' ? archive : expect.fail(JSON.stringify(archive));
  }

  async function textOf(archive: OpenedArchive, from = 0, to = archive.size): Promise<string> {
    const read = await archive.read(from, to - from);
    return read.kind === 'bytes' ? Buffer.from(read.bytes).toString() : expect.fail(JSON.stringify(read));
  }

  const openOwn = (useCases = stage.useCases) => opened(useCases.openArchive({ by: OWNER, id }));
  const refusalOf = async (outcome: Promise<unknown>) => {
    const { code, state } = ((await outcome) ?? {}) as { code?: string; state?: string };
    return [code, state];
  };

  it('returns the uploaded bytes to the owner, whole and in parts, and records no event', async () => {
    const before = await eventsOf(stage);
    const archive = await openOwn();
    expect(archive.publication).to.include({ id, account: OWNER });
    expect(archive.size).to.equal(BYTES.length);
    expect([await textOf(archive), await textOf(archive, 3, 6)]).to.deep.equal([BYTES, 'and']);
    expect(await archive.refusal()).to.equal(undefined);
    expect(await eventsOf(stage)).to.deep.equal(before);
  });

  it('is refused to other accounts, and for an invalid id', async () => {
    const { openArchive } = stage.useCases;
    expect(await codeOf(openArchive({ by: accountId('stranger'), id }))).to.equal('not_found');
    expect(await codeOf(openArchive({ by: OWNER, id: 'no-uuid' }))).to.equal('not_found');
  });

  it('is open to a blocked account and while the service is read-only', async () => {
    const administration = createAdministration(stage.ports);
    await administration.changeService({ kind: 'read_only', message: null }, ADA);
    await administration.blockAccount(OWNER, { reason: 'x', sites: 'hide' }, ADA);
    expect(await textOf(await openOwn())).to.equal(BYTES);
  });

  it('returns the archive of an expired publication until it is removed, which ends running reads', async () => {
    stage.clock.advance(days(7));
    const archive = await openOwn();
    expect(archive.publication.state).to.equal('expired');
    expect(await textOf(archive)).to.equal(BYTES);
    await stage.useCases.cleanUp({ catchUp: true });
    stage.clock.advance(hours(2));
    await stage.useCases.cleanUp({ catchUp: true });
    expect(await refusalOf(archive.read(0, 1))).to.deep.equal(['invalid_state', 'archive_removed']);
    for (const by of [OWNER, OPERATOR] as const)
      expect(await refusalOf(stage.useCases.openArchive({ by, id }))).to.deep.equal([
        'invalid_state',
        'archive_removed',
      ]);
  });

  it('ends for the owner with a stop, and not for the operator', async () => {
    const [own, operators] = [
      await openOwn(),
      await opened(stage.useCases.openArchive({ by: OPERATOR, id })),
    ];
    await stage.useCases.stop({ by: OWNER, id });
    expect(await refusalOf(own.refusal())).to.deep.equal(['invalid_state', 'deleted']);
    expect(await refusalOf(stage.useCases.openArchive({ by: OWNER, id }))).to.deep.equal([
      'invalid_state',
      'deleted',
    ]);
    expect(await operators.refusal()).to.equal(undefined);
    expect(await textOf(operators)).to.equal(BYTES);
  });

  it('throws a fault if storage lost the archive of a publication in service, or has another length', async () => {
    const { archives } = stage.memory;
    const lost = stage.with({ archives: replacing(archives, { size: async () => undefined }) });
    expect(await codeOf(lost.openArchive({ by: OWNER, id }))).to.equal('archive_missing');
    const unreadable = stage.with({ archives: replacing(archives, { read: async () => undefined }) });
    expect(await codeOf((await openOwn(unreadable)).read(0, 1))).to.equal('archive_missing');
    const longer = stage.with({ archives: replacing(archives, { size: async () => BYTES.length + 1 }) });
    expect(await codeOf(longer.openArchive({ by: OWNER, id }))).to.equal('store_corrupt');
  });

  describe('by the operator', () => {
    const reads = async () =>
      (await eventsOf(stage)).filter(({ type }) => type === 'pin.archive_read').map(({ actor }) => actor);
    const open = (cause: typeof ADA | typeof KEY = ADA, more: object = {}) =>
      opened(createAdministration(stage.ports).openArchive({ id, cause, ...more }));

    it('is recorded with the first read, for each actor once a minute', async () => {
      const archive = await open();
      expect(await reads(), 'before a read').to.deep.equal([]);
      await textOf(archive, 0, 2);
      await textOf(archive, 2);
      await textOf(await open());
      expect(await reads()).to.deep.equal([ADA.actor]);
      await textOf(await open(KEY));
      expect(await reads()).to.deep.equal([KEY.actor, ADA.actor]);
      stage.clock.advance(hours(1));
      await textOf(await open());
      expect(await reads()).to.deep.equal([ADA.actor, KEY.actor, ADA.actor]);
      const [event] = await eventsOf(stage);
      expect(event).to.include({ account: OWNER, pin: id, asOperator: true });
    });

    it('returns no byte if the event cannot be stored', async () => {
      const failure = new Error('the database is away');
      const history = replacing(stage.memory.history, { recordOnce: () => Promise.reject(failure) });
      const administration = createAdministration({ ...stage.ports, history });
      const archive = await opened(administration.openArchive({ id, cause: ADA }));
      for (let n = 0; n < 2; n += 1)
        expect(await archive.read(0, 1).catch((error) => error)).to.equal(failure);
    });

    it('is not recorded before a takedown, which is recorded itself', async () => {
      expect(await textOf(await open(ADA, { isRecorded: false }))).to.equal(BYTES);
      expect(await reads()).to.deep.equal([]);
    });
  });
});
