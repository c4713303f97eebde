import {
  type Attempt,
  duration,
  type EnterOutcome,
  Fault,
  minutes,
  OPERATOR,
  type Password,
  type PasswordHash,
  type PasswordHasher,
  type RoleId,
  seconds,
} from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, OWNER, stageOfEachTest } from './stage.ts';

const SECRET = 'open sesame' as Password;
const WRONG = 'wrong one';

/** A hasher whose results wait until the test releases them. */
class SlowHasher implements PasswordHasher {
  readonly held: { readonly guess: string; readonly go: () => void }[] = [];
  readonly #inner: PasswordHasher;

  constructor(inner: PasswordHasher) {
    this.#inner = inner;
  }

  hash(password: Password, client: string): Promise<PasswordHash> {
    return this.#inner.hash(password, client);
  }

  async verify(guess: Password, hash: PasswordHash, client: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held.push({ guess, go: resolve });
    await promise;
    return await this.#inner.verify(guess, hash, client);
  }

  /** Lets the oldest one go. */
  release(): void {
    this.held.shift()?.go();
  }
}

/** Waits until all work that depends only on this process has finished. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
}

function kindsOf(outcomes: readonly EnterOutcome[]): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const { kind } of outcomes) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

describe('a password try', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish();
    await protect(SECRET);
  });

  async function protect(password: Password | null): Promise<void> {
    const what = { by: OWNER, id };
    const outcome = await stage.useCases.update(what, { type: 'set_password', password });
    expect(outcome.kind).to.equal('changed');
  }

  /** Another node over the same data, with its requests for a place. */
  function node(passwords: PasswordHasher = stage.ports.passwords) {
    const begun: Attempt[] = [];
    const attempts = replacing(stage.memory.attempts, {
      begin: (attempt) => {
        begun.push(attempt);
        return stage.memory.attempts.begin(attempt);
      },
    });
    const gate = stage.with({ passwords, attempts });
    const enter = (password: string, more: { address?: string; signal?: AbortSignal } = {}) =>
      gate.enter({ id, password, address: '192.0.2.1', ...more });
    return { begun, gate, enter };
  }

  function slowNode() {
    const hasher = new SlowHasher(stage.ports.passwords);
    return { hasher, ...node(hasher) };
  }

  it('counts if it is wrong, and is taken back if it is right', async () => {
    const { enter } = node();
    for (let round = 0; round < 12; round += 1) expect((await enter(SECRET)).kind).to.equal('granted');
    for (let round = 0; round < 10; round += 1) expect((await enter(WRONG)).kind).to.equal('wrong');
    const limited = await enter(SECRET);
    expect(limited).to.include({ kind: 'limited', until: stage.clock.now() + minutes(5) });
    expect((await enter(SECRET, { address: '192.0.2.2' })).kind).to.equal('granted');
    stage.clock.advance(minutes(5));
    expect((await enter(SECRET)).kind).to.equal('granted');
  });

  it('counts as wrong without hashing if the password has over 1,024 bytes', async () => {
    const { enter, hasher } = slowNode();
    const long = 'a'.repeat(1_025);
    for (let round = 0; round < 10; round += 1) expect((await enter(long)).kind).to.equal('wrong');
    expect((await enter(long)).kind).to.equal('limited');
    expect(hasher.held).to.have.length(0);
  });

  it('is hashed in the queue of its address, but a new password in that of the account', async () => {
    const clients: string[] = [];
    const passwords = replacing<PasswordHasher>(stage.ports.passwords, {
      hash: (password, client) => {
        clients.push(client);
        return stage.ports.passwords.hash(password, client);
      },
      verify: (guess, hash, client) => {
        clients.push(client);
        return stage.ports.passwords.verify(guess, hash, client);
      },
    });
    const { update } = stage.with({ passwords });
    await update({ by: OPERATOR, id }, { type: 'set_password', password: SECRET });
    await node(passwords).enter(SECRET, { address: '192.0.2.77' });
    expect(clients).to.deep.equal([OWNER, '192.0.2.77']);
  });

  it('never exceeds the limit, even beside other tries', async () => {
    const { enter } = node();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => enter(WRONG)));
    expect(kindsOf(outcomes)).to.deep.equal({ wrong: 10, limited: 40 });
  });

  it('succeeds for each of thirty viewers behind one address, ten at a time, if all enter the right password', async () => {
    const { enter, hasher, begun } = slowNode();
    const entering = Array.from({ length: 30 }, () => enter(SECRET));
    for (let entered = 0; entered < 30; entered += 1) {
      await settled();
      expect(hasher.held).to.have.length(Math.min(10, 30 - entered));
      hasher.release();
    }
    expect(kindsOf(await Promise.all(entering))).to.deep.equal({ granted: 30 });
    expect(begun.length, 'requests for a place').to.be.at.most(4 * 30);
  });

  it('waits for a place of another node together with others, and one request checks for all', async () => {
    const [here, there] = [slowNode(), node()];
    const entering = Array.from({ length: 10 }, () => here.enter(SECRET));
    await settled();
    const waiting = [there.enter(SECRET)];
    await settled();
    const before = there.begun.length;
    for (let n = 1; n < 20; n += 1) waiting.push(there.enter(SECRET));
    await settled();
    expect(there.begun.length - before, 'requests of later tries').to.equal(0);
    stage.clock.advance(duration(200));
    await settled();
    expect(there.begun.length - before, 'requests while there is no place').to.equal(1);
    here.hasher.release();
    await settled();
    expect(there.begun.length - before, 'requests before the next one is due').to.equal(1);
    stage.clock.advance(duration(200));
    expect(kindsOf(await Promise.all(waiting))).to.deep.equal({ granted: 20 });
    while (here.hasher.held.length > 0) here.hasher.release();
    await Promise.all(entering);
  });

  it('waits for at most 30 seconds, and then is not counted', async () => {
    const { enter, hasher } = slowNode();
    const entering = Array.from({ length: 10 }, () => enter(SECRET));
    await settled();
    const late = enter(WRONG);
    await settled();
    const other = enter(SECRET, { address: '192.0.2.2' });
    await settled();
    expect(hasher.held, 'of another client').to.have.length(11);
    hasher.held.pop()?.go();
    expect((await other).kind).to.equal('granted');
    stage.clock.advance(seconds(30));
    expect(await late).to.deep.equal({ kind: 'busy' });
    expect(hasher.held).to.have.length(10);
    while (hasher.held.length > 0) hasher.release();
    expect(kindsOf(await Promise.all(entering))).to.deep.equal({ granted: 10 });
  });

  it('is refused without a request to the store while 256 tries of its client wait', async () => {
    const { enter, hasher, begun } = slowNode();
    const entering = Array.from({ length: 10 }, () => enter(SECRET));
    await settled();
    const waiting = Array.from({ length: 256 }, () => enter(SECRET));
    await settled();
    const before = begun.length;
    const refused = await Promise.all(Array.from({ length: 2_000 }, () => enter(SECRET)));
    expect(kindsOf(refused)).to.deep.equal({ busy: 2_000 });
    expect(begun.length, 'requests for a place').to.equal(before);
    while (hasher.held.length > 0) {
      hasher.release();
      await settled();
    }
    expect(kindsOf(await Promise.all([...entering, ...waiting]))).to.deep.equal({ granted: 266 });
  });

  it('is refused while 1,024 tries wait in its process', async () => {
    const busy = replacing(stage.memory.attempts, { begin: async () => ({ kind: 'busy' }) });
    const gate = stage.with({ attempts: busy });
    const tries = Array.from({ length: 1_100 }, (_, n) =>
      gate.enter({ id, password: SECRET, address: `client ${n}` }),
    );
    await settled();
    stage.clock.advance(seconds(29));
    const early = await Promise.race([Promise.all(tries.slice(1_024)), settled()]);
    expect(early, 'those that do not wait').to.have.length(76);
    stage.clock.advance(seconds(1));
    expect(kindsOf(await Promise.all(tries))).to.deep.equal({ busy: 1_100 });
  });

  it('is refused while it waits, as soon as enough others were wrong', async () => {
    const { enter, hasher } = slowNode();
    const guesses = Array.from({ length: 30 }, () => enter(WRONG));
    for (let round = 0; round < 10; round += 1) {
      await settled();
      hasher.release();
    }
    expect(kindsOf(await Promise.all(guesses))).to.deep.equal({ wrong: 10, limited: 20 });
    expect(hasher.held).to.have.length(0);
  });

  it('is still hashed and counted if the viewer leaves, but no longer waits for a turn', async () => {
    const { enter, hasher, begun } = slowNode();
    const leaving = new AbortController();
    const guesses = Array.from({ length: 10 }, () => enter(WRONG, { signal: leaving.signal }));
    await settled();
    const waiting = [enter(SECRET, { signal: leaving.signal }), enter(SECRET)] as const;
    await settled();
    leaving.abort(new Error('left'));
    expect(await waiting[0].catch((error: Error) => error.message)).to.equal('left');
    const [first, ...others] = guesses;
    for (let round = 0; round < 9; round += 1) hasher.release();
    expect((await first)?.kind).to.equal('wrong');
    expect(begun.at(-1), 'another try requests a place').to.include({ role: id });
    hasher.release();
    expect(kindsOf(await Promise.all(others))).to.deep.equal({ wrong: 9 });
    expect((await waiting[1]).kind).to.equal('limited');
  });

  it('does not wait if the viewer has already left', async () => {
    const { enter, hasher } = slowNode();
    const entering = Array.from({ length: 10 }, () => enter(SECRET));
    await settled();
    const aborted = enter(SECRET, { signal: AbortSignal.abort(new Error('left')) });
    expect(await aborted.catch((error: Error) => error.message)).to.equal('left');
    while (hasher.held.length > 0) hasher.release();
    await Promise.all(entering);
  });

  it('does not wait if the viewer holds a grant, even while others wait', async () => {
    const entered = await node().enter(SECRET);
    if (entered.kind !== 'granted') throw new Error(entered.kind);
    const { gate, enter, hasher } = slowNode();
    const entering = Array.from({ length: 10 }, () => enter(SECRET));
    await settled();
    const tokens = ['nonsense', await gate.grants.sign(entered.grant)];
    const request = { id, password: 'any', address: '192.0.2.1', tokens };
    for (let waiting = 0; waiting < 3; waiting += 1) {
      const outcome = await Promise.race([gate.enter(request), settled()]);
      expect(outcome, `${waiting} others wait`).to.deep.equal({ kind: 'busy' });
      entering.push(gate.enter({ ...request, password: SECRET, tokens: ['nonsense'] }));
      await settled();
    }
    stage.clock.advance(seconds(30));
    while (hasher.held.length > 0) hasher.release();
    expect(kindsOf(await Promise.all(entering))).to.deep.equal({ granted: 10, busy: 3 });
  });

  it('is compared with the present password once there is a place', async () => {
    const { enter, hasher } = slowNode();
    const entering = Array.from({ length: 10 }, () => enter(SECRET));
    await settled();
    const waiting = enter('another one');
    await settled();
    await protect('another one' as Password);
    while (hasher.held.length > 0) hasher.release();
    await settled();
    hasher.release();
    expect((await waiting).kind).to.equal('granted');
    await Promise.all(entering);
  });

  it('counts as wrong after 60 seconds if its node is dead, and is taken back if it was right after all', async () => {
    const [dying, living] = [slowNode(), node()];
    const lost = Array.from({ length: 10 }, () => dying.enter(SECRET));
    await settled();
    stage.clock.advance(seconds(60));
    expect((await living.enter(SECRET)).kind).to.equal('limited');
    dying.hasher.release();
    await settled();
    expect((await living.enter(SECRET)).kind, 'once a try was right').to.equal('granted');
    while (dying.hasher.held.length > 0) dying.hasher.release();
    expect(kindsOf(await Promise.all(lost))).to.deep.equal({ granted: 10 });
  });

  it('is not counted if too many wait to be hashed', async () => {
    const busy = () => Promise.reject(new Fault('hasher_overloaded', 'busy'));
    const { enter } = node({ verify: busy, hash: busy });
    for (let round = 0; round < 12; round += 1) {
      expect(await codeOf(enter(WRONG))).to.equal('hasher_overloaded');
    }
    expect((await node().enter(SECRET)).kind).to.equal('granted');
  });

  it('is counted if the password cannot be compared for another reason', async () => {
    const broken = () => Promise.reject(new Fault('store_corrupt', 'no hash'));
    const { enter } = node({ verify: broken, hash: broken });
    for (let round = 0; round < 10; round += 1) expect(await codeOf(enter('any'))).to.equal('store_corrupt');
    expect((await node().enter(SECRET)).kind).to.equal('limited');
  });
});
