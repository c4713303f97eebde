import {
  type ArchiveId,
  days,
  type HistoryEvent,
  type IdempotencyKey,
  OPERATOR,
  type RoleId,
  type Takedown,
} from '@pinfold/core';
import { instrument, onRoleEvents } from '@pinfold/core/adapter';
import { type AdministrationPorts, createAdministration } from '@pinfold/core/administration';
import { aTakedown, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { eventsOf, OWNER, openStage, type Stage } from './stage.ts';

const CAUSE = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;

describe('taking down', () => {
  let stage: Stage;
  let id: RoleId;

  beforeEach(async () => {
    stage = await openStage();
    id = await stage.publish();
    stage.clock.advance(days(1));
  });

  const administering = (ports: Partial<AdministrationPorts> = {}) =>
    createAdministration({ ...stage.ports, ...ports });
  const request = (more: object = {}) => ({ id, reason: 'Phishing', cause: CAUSE, ...more });

  async function isStored(role: RoleId): Promise<boolean> {
    const { archive = '' as ArchiveId } = (await stage.memory.roles.load(role))?.value ?? {};
    return (await stage.memory.archives.size(archive)) !== undefined;
  }

  /** The events since the operator began. */
  async function recorded(): Promise<unknown> {
    const events = await eventsOf(stage, { by: OPERATOR, since: stage.clock.now() });
    return events.map(({ type, account, pin }) => ({ type, account, pin }));
  }

  it('is tried again if the owner changes the role meanwhile', async () => {
    let isFirst = true;
    const takedowns = replacing(stage.memory.takedowns, {
      takeDown: async (...all) => {
        if (isFirst) await stage.useCases.pin({ by: OWNER, id });
        isFirst = false;
        return await stage.memory.takedowns.takeDown(...all);
      },
    });
    expect((await administering({ takedowns }).takeDown(request())).kind).to.equal('taken_down');
    const { value } = (await stage.memory.roles.load(id)) ?? {};
    expect(value).to.include({ pinned: true, deletedAt: stage.clock.now() });
    expect(await stage.memory.takedowns.of([id])).to.have.length(1);
  });

  it('stops and purges the listed copies, and leaves the others', async () => {
    const copy = await stage.publish({ key: 'copy' as IdempotencyKey });
    const late = await stage.publish({ key: 'late' as IdempotencyKey });
    const { takeDown, copiesOf } = administering();
    expect(await copiesOf(id)).to.have.members([copy, late]);
    const outcome = await takeDown(request({ copies: [copy], purge: true }));
    expect(outcome.kind === 'taken_down' && outcome.copies).to.have.members([copy, late]);
    const roles = await Promise.all([id, copy, late].map((one) => stage.memory.roles.load(one)));
    expect(roles.map((role) => role?.value.deletedAt !== null)).to.deep.equal([true, true, false]);
    expect(await Promise.all([id, copy, late].map(isStored))).to.deep.equal([false, false, true]);
    expect(await copiesOf(id)).to.deep.equal([late]);
    expect(await copiesOf('00000000-0000-4000-8000-000000000000' as RoleId)).to.deep.equal([]);
  });

  it('purges what an interrupted purge has left, and ignores listed publications that are not copies', async () => {
    const copy = await stage.publish({ key: 'copy' as IdempotencyKey });
    const other = await stage.publish({ key: 'other' as IdempotencyKey, bytes: 'another site' });
    await stage.useCases.stop({ by: OWNER, id: other });
    const { takeDown } = administering();
    await takeDown(request({ copies: [copy] }));
    await takeDown(request({ copies: [copy, other], purge: true }));
    expect(await Promise.all([id, copy, other].map(isStored))).to.deep.equal([false, false, true]);
  });

  it('allows the archive again once lifted, and can forbid it again', async () => {
    const { takeDown, liftTakedown, showRole } = administering();
    await takeDown(request());
    const { sha256 } = (await stage.memory.roles.load(id))?.value ?? aTakedown(1);
    const publish = async (key: string) => (await stage.useCases.publish(await stage.request({ key }))).kind;
    expect(await publish('again')).to.equal('refused');
    expect((await stage.useCases.check(await stage.request())).kind, 'in a dry run').to.equal('refused');
    expect(await liftTakedown(sha256, CAUSE)).to.deep.equal({ kind: 'lifted' });
    expect(await recorded()).to.have.deep.members([
      { type: 'pin.taken_down', account: OWNER, pin: id },
      { type: 'takedown.lifted', account: OWNER, pin: id },
    ]);
    expect(await publish('again')).to.equal('published');
    expect(await takeDown(request({ reason: 'After all' }))).to.deep.include({ kind: 'taken_down' });
    expect(await showRole(id))
      .to.deep.include({ kind: 'found' })
      .and.to.have.nested.property('takedown.reason', 'After all');
    expect(await publish('once more')).to.equal('refused');
  });

  it('can forbid a lifted archive again while another archive is forbidden under the same id', async () => {
    const of = async (ids: readonly RoleId[]) => (await stage.memory.takedowns.of(ids)).toReversed();
    const takedowns = replacing(stage.memory.takedowns, { of });
    const { takeDown, bringTakedown, liftTakedown, showRole } = administering({ takedowns });
    const { sha256 } = (await stage.memory.roles.load(id))?.value ?? aTakedown(1);
    const { liftedAt: _, ...elsewhere } = aTakedown(8);
    await bringTakedown({ ...elsewhere, id }, CAUSE);
    await liftTakedown(sha256, CAUSE);
    expect(await takedowns.isForbidden(sha256)).to.equal(false);
    await takeDown(request());
    expect(await takedowns.isForbidden(sha256)).to.equal(true);
    expect(await showRole(id)).to.have.nested.property('takedown.sha256', sha256);
  });

  describe('with copies', () => {
    let copies: readonly RoleId[];
    let other: RoleId;
    let ended: RoleId;

    beforeEach(async () => {
      other = await stage.publish({ key: 'other', bytes: 'PK other' });
      const published: RoleId[] = [];
      for (let n = 0; n < 101; n += 1)
        published.push(await stage.publish({ by: `account ${n % 7}`, key: `${n}` }));
      copies = published.sort();
      // The newest is on the first page of a list.
      stage.clock.advance(days(1));
      ended = await stage.publish({ key: 'ended' });
      await stage.useCases.stop({ by: OWNER, id: ended });
    });

    it('names copies in service, and also stops and purges them if requested', async () => {
      const { takeDown } = administering();
      const states = async () =>
        new Set(await Promise.all(copies.map(async (copy) => (await stage.useCases.visit(copy)).kind)));
      for (const [more, found, state, archivesLeft] of [
        [{ purge: true }, copies, 'published', 103],
        [{ copies: true }, copies, 'unknown', 103],
        // Earlier takedowns are completed.
        [{ copies: true, purge: true }, [], 'unknown', 2],
      ] as const) {
        const outcome = await takeDown(request(more));
        if (outcome.kind === 'refused') throw new Error(outcome.code);
        expect([...outcome.copies].sort()).to.deep.equal(found);
        expect(await states()).to.deep.equal(new Set([state]));
        expect(await stage.memory.archives.list(undefined, 200)).to.have.length(archivesLeft);
      }
      expect((await stage.useCases.visit(other)).kind).to.equal('published');
    });

    it('purges sixteen at a time', async () => {
      let atOnce = 0;
      let max = 0;
      const archives = replacing(stage.memory.archives, {
        delete: async (...which) => {
          atOnce += 1;
          max = Math.max(max, atOnce);
          await new Promise((resolve) => setImmediate(resolve));
          await stage.memory.archives.delete(...which);
          atOnce -= 1;
        },
      });
      await administering({ archives }).takeDown(request({ copies: true, purge: true }));
      expect(max).to.equal(16);
    });

    it('records a takedown of each, and of no publication that was stopped before or has another archive', async () => {
      const { takeDown, listRoles } = administering();
      await takeDown(request({ copies: true, purge: true }));
      const { of } = stage.memory.takedowns;
      expect(await of([other, ended])).to.deep.equal([]);
      const listed = await listRoles({ state: 'deleted', limit: 100 });
      if (listed.kind === 'refused') throw new Error(listed.code);
      expect(listed.publications.map(({ publication }) => publication.id)).to.include(ended);
      for (const { publication, takedown } of listed.publications) {
        expect(takedown?.id).to.equal(publication.id === ended ? undefined : publication.id);
      }
      const { sha256 } = (await stage.memory.roles.load(id))?.value ?? aTakedown(1);
      const takedowns = await of(copies);
      expect(takedowns).to.have.length(copies.length);
      for (const takedown of takedowns) {
        expect(takedown).to.include({ sha256, reason: 'Phishing', at: stage.clock.now() });
      }
    });
  });

  it('removes the archive at once only with purge, even when repeated, unless another process is removing it', async () => {
    const stored = async () => (await stage.memory.archives.list(undefined, 10)).length;
    const busy = replacing(stage.memory.takedowns, { claimPurge: async () => undefined });
    for (const [ports, more, archivesLeft] of [
      [{}, {}, 1],
      [{ takedowns: busy }, { purge: true }, 1],
      [{}, { purge: true }, 0],
      [{}, { purge: true }, 0],
    ] as const) {
      expect((await administering(ports).takeDown(request(more))).kind).to.equal('taken_down');
      expect(await stored()).to.equal(archivesLeft);
    }
  });

  it('emits one event to observers, even if repeated', async () => {
    const emitted: HistoryEvent[] = [];
    const observer = onRoleEvents((event) => emitted.push(event));
    const { takedowns } = instrument({ takedowns: stage.memory.takedowns }, [observer]);
    const { takeDown, liftTakedown } = administering({ takedowns });
    for (let n = 0; n < 2; n += 1) await takeDown(request());
    expect(emitted.map(({ type, pin, account }) => [type, pin, account])).to.deep.equal([
      ['pin.taken_down', id, OWNER],
    ]);
    expect((await liftTakedown(aTakedown(1).sha256, CAUSE)).kind).to.equal('refused');
  });

  it('can be imported: stops its publication or forbids an archive that is not here yet, and changes nothing the second time', async () => {
    const { bringTakedown, listTakedowns } = administering();
    const { liftedAt: _, ...elsewhere } = aTakedown(7);
    const { account, sha256 } = (await stage.memory.roles.load(id))?.value ?? elsewhere;
    const here: Omit<Takedown, 'liftedAt'> = { ...elsewhere, id, account, sha256 };
    const otherArchive = { ...here, sha256: aTakedown(8).sha256 };
    stage.clock.advance(days(1));
    for (const isNew of [true, false]) {
      for (const each of [elsewhere, here, otherArchive]) {
        expect(await bringTakedown(each, CAUSE), each.sha256).to.equal(isNew);
      }
    }
    const listed = await listTakedowns();
    const brought = [elsewhere, here, otherArchive].map((each) => ({ ...each, liftedAt: null }));
    expect(listed.kind === 'page' && listed.takedowns, 'as they were').to.have.deep.members(brought);
    expect(await recorded()).to.have.deep.members(
      brought.map((each) => ({ type: 'pin.taken_down', account: each.account, pin: each.id })),
    );
    expect((await stage.useCases.visit(id)).kind).to.equal('unknown');
  });

  it('can be imported again to stop a publication that was imported after it', async () => {
    const { value } = (await stage.memory.roles.load(id)) ?? {};
    const { liftedAt: _, ...takedown } = { ...aTakedown(1), ...(value && { id, sha256: value.sha256 }) };
    const roles = replacing(stage.memory.roles, { load: async () => undefined });
    for (const [ports, isNew] of [
      [{ roles }, true],
      [{ roles }, false],
      [{}, true],
      [{}, false],
    ] as const) {
      expect(await administering(ports).bringTakedown(takedown, CAUSE)).to.equal(isNew);
    }
    expect((await stage.useCases.visit(id)).kind).to.equal('unknown');
  });
});
