import {
  type ArchiveStorage,
  after,
  createUseCases,
  Fault,
  hours,
  type RoleStore,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, stageOfEachTest } from './stage.ts';

const unavailable = () => Promise.reject(new Fault('store_unavailable', 'gone'));

describe('publishing while something fails', () => {
  const stage = stageOfEachTest();

  const failing = (error: Error) => () => Promise.reject(error);

  /** Publishing that loses its lease to a faster one once it has put its archive. */
  async function overtaken(remove: ArchiveStorage['delete']) {
    let first = true;
    const put: ArchiveStorage['put'] = async (...archive) => {
      await stage.memory.archives.put(...archive);
      if (!first) return;
      first = false;
      await stage.memory.roles.purge(after(stage.clock.now(), seconds(1)), 10);
      await stage.publish();
    };
    const archives = replacing(stage.memory.archives, { put, delete: remove });
    return await stage.with({ archives }).publish(await stage.request());
  }

  it('throws the first fault, even if the key cannot be freed either', async () => {
    const fault = new Fault('storage_unavailable', 'full');
    const broken = stage.with({
      archives: replacing(stage.memory.archives, { put: failing(fault) }),
      roles: replacing(stage.memory.roles, { release: unavailable }),
    });
    expect(await rejectionOf(broken.publish(await stage.request()))).to.equal(fault);
  });

  it('prepares an archive in the storage once, before the proof, and waits only for the put', async () => {
    const calls: string[] = [];
    const request = await stage.request();
    const prepare = (archive: StagedArchive): Promise<void> => {
      calls.push(archive === request.archive ? 'prepare' : 'prepare another');
      return Promise.reject(new TypeError('the put reports it'));
    };
    stage.inspector.during = async () => void calls.push('prove');
    const service = stage.with({ archives: replacing(stage.memory.archives, { prepare }) });
    expect((await service.publish(request)).kind).to.equal('published');
    expect((await service.publish(await stage.request())).kind).to.equal('replayed');
    expect(calls).to.deep.equal(['prepare', 'prove']);
  });

  it('publishes even if the storage fails to prepare an archive', async () => {
    const prepare = (): never => {
      throw new TypeError('the put reports it');
    };
    const service = stage.with({ archives: replacing(stage.memory.archives, { prepare }) });
    expect((await service.publish(await stage.request())).kind).to.equal('published');
  });

  it('answers a replay even if its own archive cannot be removed', async () => {
    const outcome = await overtaken(failing(new Fault('storage_unavailable', 'gone')));
    expect(outcome.kind).to.equal('replayed');
    expect(await stage.memory.archives.list(undefined, 10), 'one is left for the sweep').to.have.length(2);
  });

  it('removes no archive if it has stored none', async () => {
    await stage.publish();
    const remove = failing(new TypeError('removed'));
    const { publish } = stage.with({ archives: replacing(stage.memory.archives, { delete: remove }) });
    expect((await publish(await stage.request())).kind).to.equal('replayed');
  });

  it('throws errors of ports that are not faults', async () => {
    const bug = new TypeError('a bug');
    const fault = new Fault('storage_unavailable', 'full');
    const broken = stage.with({
      archives: replacing(stage.memory.archives, { put: failing(fault) }),
      roles: replacing(stage.memory.roles, { release: failing(bug) }),
    });
    expect(await rejectionOf(broken.publish(await stage.request())), 'release').to.equal(bug);
    stage.clock.advance(seconds(60));
    expect(await rejectionOf(overtaken(failing(bug))), 'delete').to.equal(bug);
    const request = await stage.request();
    const archive = { ...request.archive, discard: failing(bug) };
    const outcome = stage.useCases.publish({ ...request, archive });
    expect(await rejectionOf(outcome), 'discard').to.equal(bug);
  });

  it('fails if the role of a complete key is missing', async () => {
    await stage.publish();
    const load: RoleStore['load'] = () => Promise.resolve(undefined);
    const { publish } = stage.with({ roles: replacing(stage.memory.roles, { load }) });
    expect(await codeOf(publish(await stage.request()))).to.equal('store_corrupt');
  });

  it('commits an archive as old as a reservation can be, since no sweep removes it yet', async () => {
    const put: ArchiveStorage['put'] = async (...archive) => {
      await stage.memory.archives.put(...archive);
      stage.clock.advance(hours(12));
      await stage.memory.roles.purge(after(stage.clock.now(), seconds(1)), 10);
    };
    const slow = stage.with({ archives: replacing(stage.memory.archives, { put }) });
    expect((await slow.publish(await stage.request())).kind).to.equal('published');
  });

  it('warns of absolute references only in path mode', async () => {
    const references = [{ target: '/index.html', absolute: true, answered: true, otherCase: undefined }];
    stage.inspector.prove = async ({ tasks }) => {
      const entries = tasks.map(({ entry }) => ({ entry, utf8: true, references, secrets: [], whole: true }));
      return { problems: [], entries };
    };
    const warned = async (...options: [] | [{ readonly absolutePathsWork: boolean }]) => {
      const { check } = createUseCases(stage.ports, {}, ...options);
      const outcome = await check(await stage.request());
      return outcome.kind === 'checked' ? outcome.warnings.map(({ rule }) => rule) : outcome.code;
    };
    expect(await warned()).to.deep.equal([]);
    expect(await warned({ absolutePathsWork: true })).to.deep.equal([]);
    expect(await warned({ absolutePathsWork: false })).to.deep.equal(['absolute_reference']);
  });
});
