import {
  createUseCases,
  type Instant,
  OPERATOR,
  type Password,
  type RoleId,
  type UseCases,
} from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { createHistory } from '@pinfold/core/history';
import { expect } from 'chai';
import { OWNER, stageOfEachTest } from './stage.ts';

const PASSWORD = 'long enough' as Password;
const KEY = 'the key of this publication';
const CAUSE = { actor: { kind: 'operator', id: null }, asOperator: true } as const;
const PUBLIC_URL = 'https://pages.example';

/** The names of all functions of the use cases, nested ones as `noun.verb`, but not of ports that doors receive. */
function namesOf(useCases: UseCases): readonly string[] {
  const ports: readonly string[] = ['staging', 'clock', 'accounts', 'mode', 'limits'];
  return Object.entries(useCases).flatMap(([name, value]) => {
    if (typeof value === 'function') return [name];
    return ports.includes(name) ? [] : Object.keys(value as object).map((verb) => `${name}.${verb}`);
  });
}

describe('the answers of use cases', () => {
  const stage = stageOfEachTest();

  /** Collects the answer of each use case about one protected publication, by its name. */
  async function everyAnswer(): Promise<Readonly<Record<string, unknown>>> {
    const { useCases, clock, ports } = stage;
    const publish = async () => useCases.publish(await stage.request({ key: KEY }));
    const published = await publish();
    if (published.kind !== 'published') throw new Error(published.kind);
    const { id } = published.publication;
    const own = { by: OWNER, id };
    const set = { type: 'set_password', password: PASSWORD } as const;
    const title = { type: 'set_title', title: 'Report' } as const;
    const update = await useCases.update(own, set);
    const address = '192.0.2.1';
    const granted = await useCases.enter({ id, password: PASSWORD, address });
    if (granted.kind !== 'granted') throw new Error(granted.kind);
    const visit = await useCases.visit(id);
    if (visit.kind !== 'published') throw new Error(visit.kind);
    const token = await useCases.grants.sign(granted.grant);
    const administration = createAdministration(ports);
    const named = { by: OWNER, name: 'report' };
    const name = await useCases.names.set({ ...named, pin: id });
    if (name.kind !== 'created') throw new Error(name.kind);
    return {
      id,
      publish: [published, await publish()],
      check: await useCases.check(await stage.request()),
      read: await useCases.read(own),
      list: await useCases.list({ by: OWNER }),
      findByKey: await useCases.findByKey({ by: OWNER, key: KEY }),
      update: [update, await useCases.update(own, title)],
      updateSeen: [
        await useCases.updateSeen(own, title, { title: 'Another' }),
        await useCases.updateSeen(own, title, { title: 'Report' }),
      ],
      pin: await useCases.pin({ by: OPERATOR, id }),
      unpin: await useCases.unpin({ by: OPERATOR, id }),
      'names.set': name,
      'names.get': await useCases.names.get(named),
      'names.list': await useCases.names.list({ by: OWNER }),
      visitName: await useCases.visitName(name.name.url.slice('/n/'.length)),
      'names.delete': await useCases.names.delete(named),
      createGrant: await useCases.createGrant(own),
      openArchive: await useCases.openArchive(own),
      cancel: await useCases.cancel({ by: OWNER, key: KEY }),
      visit,
      enter: [granted, await useCases.enter({ id, password: 'wrong', address })],
      'grants.sign': token,
      'grants.admit': await useCases.grants.admit(visit, 'cookie', [token]),
      'open.manifest': await useCases.open.manifest(visit.publication),
      'open.read': await useCases.open.read(visit.publication, 0, 2),
      cleanUp: await useCases.cleanUp(),
      limitsOf: await useCases.limitsOf(OWNER),
      quotasOf: await useCases.quotasOf(OWNER),
      stop: await useCases.stop(own),
      'administration.listRoles': await administration.listRoles({ state: 'deleted' }),
      'administration.showRole': await administration.showRole(id),
      'administration.takeDown': await administration.takeDown({ id, reason: 'x', cause: CAUSE }),
      'administration.listTakedowns': await administration.listTakedowns(),
      'history.list': await createHistory(ports).list({ by: OWNER }),
      now: clock.now(),
    };
  }

  it('contain no password, hash, archive id or Idempotency-Key of a protected publication', async () => {
    const answers = await everyAnswer();
    expect(Object.keys(answers)).to.include.members([...namesOf(stage.useCases)]);
    const stored = (await stage.memory.roles.load(answers.id as RoleId))?.value;
    if (stored === undefined) throw new Error('nothing is stored');
    expect(stored.passwordHash).to.be.a('string');
    for (const [name, answer] of Object.entries(answers)) {
      const text = JSON.stringify(answer);
      for (const secret of [PASSWORD, stored.passwordHash, stored.archive, KEY]) {
        expect(text, name).not.to.include(secret);
      }
      expect(text, name).not.to.match(/"(?:passwordHash|idempotencyKey|fingerprint|archive)"/);
    }
  });

  it('contain the present state, the shared URL and the dates', async () => {
    const { clock, ports } = stage;
    const id = await stage.publish();
    const publicationUnder = async (publicUrl?: string | (() => string)) => {
      const found = await createUseCases(ports, {}, { publicUrl }).read({ by: OWNER, id });
      if (found.kind !== 'found') throw new Error(found.code);
      return found.publication;
    };
    const now = clock.now();
    const publication = await publicationUnder(PUBLIC_URL);
    expect(publication).to.include({
      state: 'published',
      sharedUrl: `${PUBLIC_URL}/s/${id}`,
      publishedAt: now,
      deletedAt: null,
      passwordProtected: false,
    });
    expect((await publicationUnder(() => PUBLIC_URL)).sharedUrl).to.equal(publication.sharedUrl);
    for (const slashes of ['/', '//'])
      expect((await publicationUnder(PUBLIC_URL + slashes)).sharedUrl).to.equal(publication.sharedUrl);
    expect((await publicationUnder()).sharedUrl).to.equal(`/s/${id}`);
    clock.advance(((publication.expiresAt as Instant) - now) as never);
    expect((await publicationUnder()).state).to.equal('expired');
  });

  it('can be copied to open the content', async () => {
    const id: RoleId = await stage.publish();
    const { open, read } = stage.useCases;
    const found = await read({ by: OWNER, id });
    if (found.kind !== 'found') throw new Error(found.code);
    expect((await open.manifest({ ...found.publication })).kind).to.equal('manifest');
    expect((await open.read({ id }, 0, 2)).kind).to.equal('bytes');
    expect(
      (await open.read({ id: id.replace(/^./, (c) => (c === '0' ? '1' : '0')) as RoleId }, 0, 2)).kind,
    ).to.equal('unknown');
  });
});
