import { type Cause, days, type HistoryEvent, OPERATOR, type UnattributedEvent } from '@pinfold/core';
import { createKeys, createSessions } from '@pinfold/core/accounts';
import { NodeApiKeySecrets, NodeSessionSecrets } from '@pinfold/platform-node';
import { aroundCalls } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openStage, type Stage } from './stage.ts';

type Told = Partial<HistoryEvent> | UnattributedEvent;

/** A store that notes the events it is given, which come last. */
function noting<Store extends object>(store: Store, noted: Told[]): Store {
  return aroundCalls(store, (_name, call, inputs) => {
    const last = inputs.at(-1);
    if (Array.isArray(last)) noted.push(...(last as Told[]));
    return call();
  });
}

describe('What the stores are told for the history', () => {
  let stage: Stage;
  let noted: Told[];
  beforeEach(async () => {
    stage = await openStage();
    noted = [];
  });
  afterEach(() => stage.dispose());

  const cause: Cause = { actor: { kind: 'key', id: 'k1' }, request: 'r1', address: '192.0.2.1' };
  const by = (kind: string, id: string | null) => ({ actor: { kind, id }, request: null });

  it('is what happened to a publication, when, whose it is, and because of whom', async () => {
    const useCases = stage.with({ roles: noting(stage.memory.roles, noted) });
    const outcome = await useCases.publish(await stage.request());
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const { id } = outcome.role;
    await useCases.pin({ by: OWNER, id, cause });
    await useCases.pin({ by: OWNER, id });
    await useCases.stop({ by: OPERATOR, id });
    const at = stage.clock.now();
    stage.clock.advance(days(2));
    await useCases.cleanUp();
    const whose = { at, account: OWNER, pin: id };
    expect(new Set(noted.map((event) => event.id)).size).to.equal(4);
    expect(noted.map(({ id: _, ...event }) => event)).to.deep.equal([
      { type: 'pin.published', ...whose, ...by('person', OWNER) },
      { type: 'pin.pinned', ...whose, ...cause },
      { type: 'pin.stopped', ...whose, ...by('operator', null) },
      { type: 'pin.purged', ...whose, at: stage.clock.now(), ...by('system', null) },
    ]);
  });

  it('is what became of keys, links and sessions', async () => {
    const { memory, clock } = stage;
    const ports = {
      apiKeys: noting(memory.apiKeys, noted),
      apiKeySecrets: new NodeApiKeySecrets(),
      sessions: noting(memory.sessions, noted),
      sessionSecrets: new NodeSessionSecrets(),
      clock,
      ids: stage.ports.ids,
    };
    const keys = createKeys(ports);
    const sessions = createSessions(ports, keys);
    const { key, text } = await keys.create({ account: OWNER, scopes: ['manage'] });
    const started = await sessions.signInWithKey(text);
    if (started?.kind === 'started') await sessions.end(started.token);
    await keys.revoke({ by: OWNER, id: key.id, cause });
    await sessions.redeem((await sessions.offerLink(OWNER)).token);
    const whose = { at: clock.now(), account: OWNER, pin: null };
    expect(noted.map(({ id: _, ...event }) => event)).to.deep.equal([
      { type: 'key.created', ...whose, ...by('person', OWNER) },
      { type: 'session.started', ...whose, ...by('key', key.id) },
      { type: 'session.ended', ...whose, ...by('key', key.id) },
      { type: 'key.revoked', ...whose, ...cause },
      { type: 'link.created', ...whose, ...by('operator', null) },
      { type: 'session.started', at: whose.at, pin: null, ...by('operator', null) },
    ]);
  });
});
