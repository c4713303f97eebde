import {
  after,
  type Cause,
  days,
  type HistoryEvent,
  minutes,
  OPERATOR,
  type UnattributedEvent,
} from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { createHistory } from '@pinfold/core/history';
import { sessionIdOf } from '@pinfold/core/internal';
import { anEvent, aroundCalls, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { eventsOf, OWNER, stageOfEachTest, startedOf } from './stage.ts';

type Recorded = Partial<HistoryEvent> | UnattributedEvent;

/** A store that records its events, which are the last argument. */
function recording<Store extends object>(store: Store, recordedEvents: Recorded[]): Store {
  return aroundCalls(store, (_name, call, inputs) => {
    const recorded = inputs.find((input) => Array.isArray(input));
    if (recorded !== undefined) recordedEvents.push(...(recorded as Recorded[]));
    return call();
  });
}

describe('the events that the stores receive', () => {
  const stage = stageOfEachTest();
  let recordedEvents: Recorded[];
  beforeEach(() => {
    recordedEvents = [];
  });

  const cause: Cause = { actor: { kind: 'key', id: 'k1' }, request: 'r1', address: '192.0.2.1' };
  const by = (kind: string, id: string | null, asOperator = false) => ({
    actor: { kind, id },
    name: null,
    request: null,
    address: null,
    asOperator,
  });

  it('include those of a publication, with instant, account and actor', async () => {
    const useCases = stage.with({ roles: recording(stage.memory.roles, recordedEvents) });
    const outcome = await useCases.publish(await stage.request());
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const { id } = outcome.publication;
    await useCases.pin({ by: OWNER, id, cause });
    await useCases.pin({ by: OWNER, id });
    await useCases.stop({ by: OPERATOR, id });
    const at = stage.clock.now();
    stage.clock.advance(days(2));
    await useCases.cleanUp();
    const common = { at, recordedAt: at, account: OWNER, pin: id };
    const purgedAt = { at: stage.clock.now(), recordedAt: stage.clock.now() };
    expect(new Set(recordedEvents.map((event) => event.id)).size).to.equal(4);
    expect(recordedEvents.map(({ id: _, ...event }) => event)).to.deep.equal([
      { type: 'pin.published', ...common, ...by('person', OWNER) },
      { type: 'pin.pinned', ...common, ...cause, name: null, asOperator: false },
      { type: 'pin.stopped', ...common, ...by('operator', null, true) },
      { type: 'pin.purged', ...common, ...purgedAt, ...by('system', null) },
    ]);
  });

  it('include those of keys, links and sessions', async () => {
    const { memory, clock } = stage;
    const stores = {
      apiKeys: recording(memory.apiKeys, recordedEvents),
      sessions: recording(memory.sessions, recordedEvents),
    };
    const ports = { ...stage.ports, ...stores };
    const keys = createKeys(ports);
    const sessions = createSessions(ports, keys);
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const started = await sessions.signInWithKey(text);
    if (started?.kind === 'started') await sessions.end(started.token);
    await keys.revoke({ by: OWNER, id: key.id, cause });
    await sessions.redeem((await sessions.offerLink(OWNER)).token);
    const ada = { account: OWNER, id: 'u1', displayName: 'Ada', scope: 'manage' } as const;
    const origin = { request: 'r2', address: '192.0.2.2' };
    const { session } = startedOf(await sessions.signInPerson(ada, origin));
    await sessions.endById({ by: OPERATOR, id: sessionIdOf(session) });
    await sessions.end(startedOf(await sessions.signInPerson(ada)).token, origin);
    const at = clock.now();
    const request = { request: null, address: null };
    const common = { at, recordedAt: at, account: OWNER, pin: null };
    expect(recordedEvents.map(({ id: _, ...event }) => event)).to.deep.equal([
      { type: 'key.created', ...common, ...by('operator', null, true) },
      { type: 'session.started', ...common, ...by('key', key.id) },
      { type: 'session.ended', ...common, ...by('key', key.id) },
      { type: 'key.revoked', ...common, ...cause, name: null, asOperator: false },
      { type: 'link.created', ...common, ...by('operator', null, true) },
      { type: 'session.started', at, recordedAt: at, pin: null, name: null, ...request, asOperator: false },
      { type: 'session.started', ...common, ...by('person', 'u1'), ...origin },
      { type: 'session.ended', ...common, ...by('operator', null, true) },
      { type: 'session.started', ...common, ...by('person', 'u1') },
      { type: 'session.ended', ...common, ...by('person', 'u1'), ...origin },
    ]);
  });

  const refused = async (by: string = OWNER) =>
    (await eventsOf(stage, { by })).filter(({ type }) => type === 'session.refused');

  it('include the refused sign-ins of a key or person, once a minute', async () => {
    const { ports, clock } = stage;
    const keys = createKeys(ports);
    const sessions = createSessions(ports, keys);
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER });
    await keys.create({ by: OPERATOR, account: 'guests' });
    const person = { account: 'guests', id: 'u1', displayName: 'Ada', scope: 'manage' } as never;
    const address = '192.0.2.1';
    for (const pause of [0, 0, 1]) {
      clock.advance(minutes(pause));
      await sessions.signInWithKey(text);
      await sessions.refusePerson(person, { address });
    }
    const actors = [key, key].map(({ id }) => ({ kind: 'key', id }));
    expect((await refused()).map(({ actor }) => actor)).to.deep.equal(actors);
    const recorded = { type: 'session.refused', actor: { kind: 'person', id: 'u1' }, address };
    expect(await refused('guests'))
      .to.have.length(2)
      .with.nested.property('[0]')
      .that.deep.includes(recorded);
  });

  it('include the refused sign-ins of a revoked key, only with its secret', async () => {
    const { ports } = stage;
    const keys = createKeys(ports);
    const sessions = createSessions(ports, keys);
    const { key, text } = await keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    await keys.revoke({ by: OWNER, id: key.id });
    expect(await sessions.signInWithKey(`${text.slice(0, -4)}aaaa`)).to.equal(undefined);
    expect(await refused()).to.deep.equal([]);
    expect(await sessions.signInWithKey(text)).to.equal(undefined);
    expect((await refused()).map(({ actor }) => actor)).to.deep.equal([{ kind: 'key', id: key.id }]);
  });

  it('contain no secret, no title and no file name', async () => {
    const { update } = stage.useCases;
    const id = await stage.publish({ title: 'Title of the site' });
    await update({ by: OWNER, id }, { type: 'set_password', password: 'a password of it' });
    await update({ by: OWNER, id }, { type: 'set_title', title: 'Title of its own' });
    const events = await eventsOf(stage);
    expect(events).to.have.lengthOf(3);
    expect(JSON.stringify(events))
      .not.to.include('Title')
      .and.not.include('password of it')
      .and.not.include('site.zip');
  });
});

describe('The sweep of the history', () => {
  const stage = stageOfEachTest();

  const types = async () => (await eventsOf(stage)).map(({ type }) => type);

  it('records each expiration once, even of roles that were stopped since, and none of roles that were stopped before', async () => {
    const { clock, ports } = stage;
    const { stop } = stage.useCases;
    const expiresAt = after(clock.now(), days(7));
    const publish = async (key: string) => ({ by: OWNER, id: await stage.publish({ key }) });
    const [, stoppedBefore, stoppedAfter] = [await publish('1'), await publish('2'), await publish('3')];
    await stop(stoppedBefore);
    clock.advance(days(8));
    await stop(stoppedAfter);
    const history = createHistory(ports);
    await Promise.all([history.sweep(), history.sweep(), history.sweep()]);
    const recordExpired = () => expect.fail('recorded again');
    const { apiKeys: _, ...others } = { ...ports, history: replacing(ports.history, { recordExpired }) };
    await createHistory(others).sweep();
    const recorded = (await eventsOf(stage)).filter(({ type }) => type === 'pin.expired');
    expect(recorded.map(({ at }) => at)).to.deep.equal([expiresAt, expiresAt]);
  });

  it('drops events older than the retention', async () => {
    const { clock, ports } = stage;
    await stage.publish();
    const history = createHistory(ports, { retention: days(30) });
    clock.advance(days(30));
    await history.sweep();
    expect(await types()).to.deep.equal(['pin.expired', 'pin.published']);
    clock.advance(days(1));
    await history.sweep();
    expect(await types()).to.deep.equal(['pin.expired']);
  });

  it('drops events by the time of their record, which for an expiration is later than its instant', async () => {
    const { clock, ports } = stage;
    await stage.publish();
    const history = createHistory(ports, { retention: days(30) });
    clock.advance(days(20));
    await history.sweep();
    clock.advance(days(30));
    await history.sweep();
    expect(await types()).to.deep.equal(['pin.expired']);
    clock.advance(days(1));
    await history.sweep();
    expect(await types()).to.deep.equal([]);
  });

  it('drops title and file name of roles that ended before the retention, and still answers a replay', async () => {
    const { clock, ports, useCases } = stage;
    const again = await stage.request({ key: 'once', title: 'Alice', filename: 'alice.zip' });
    const id = await stage.publish({ key: 'once', title: 'Alice', filename: 'alice.zip' });
    const history = createHistory(ports, { retention: days(30) });
    const namesNow = async () => {
      const read = await useCases.read({ by: OWNER, id });
      if (read.kind === 'refused') throw new Error(read.code);
      const { title, originalFilename, state } = read.publication;
      return { title, originalFilename, state };
    };
    clock.advance(days(7));
    clock.advance(days(30));
    await useCases.cleanUp({ catchUp: true });
    await history.sweep();
    expect(await namesNow()).to.deep.equal({
      title: 'Alice',
      originalFilename: 'alice.zip',
      state: 'expired',
    });
    clock.advance(minutes(1));
    await useCases.cleanUp({ catchUp: true });
    await history.sweep();
    expect(await namesNow()).to.deep.equal({ title: null, originalFilename: null, state: 'expired' });
    expect(await useCases.publish(again)).to.include({ kind: 'replayed' });
    const other = await stage.request({ key: 'once', title: 'Bob', filename: 'alice.zip' });
    expect(await useCases.publish(other)).to.include({ code: 'idempotency_mismatch' });
  });

  it('keeps the newest 10,000 events of a publication, and all events of the last seven days', async () => {
    const { memory, clock, ports } = stage;
    const pin = await stage.publish();
    const record = async (count: number) => {
      const events = Array.from({ length: count }, () =>
        anEvent({ pin, account: OWNER, type: 'pin.title_changed', at: clock.now() }),
      );
      const { value: role, version } = (await memory.roles.load(pin)) ?? {};
      if (role === undefined || version === undefined) throw new Error('a published role is not there');
      await memory.roles.save(role, version, events);
    };
    const history = createHistory(ports);
    const all = { account: undefined, pin, since: undefined, after: undefined, limit: 20_000 };
    const count = async () => (await memory.history.list(all)).items.length;
    await record(1_500);
    clock.advance(minutes(1));
    await record(9_000);
    await history.sweep();
    expect(await count()).to.equal(10_501);
    // Events of the last seven days count among the newest 10,000, and older ones beyond these are removed.
    clock.advance(days(7));
    await history.sweep();
    expect(await count()).to.equal(10_000);
  });
});
