import { expect } from 'chai';
import fc from 'fast-check';
import { expectState, parseRoleState, type RoleState } from '../../src/domain/role.ts';
import { days, decide, defaultLimits, instant, type RoleCommand, stateOf } from '../../src/index.ts';
import { aRole, HASH, NOW, TITLE } from '../values.ts';

const limits = defaultLimits;
const WEEK = days(7);

const published = aRole({ expiresAt: instant(NOW + 1) });
const expired = aRole({ expiresAt: NOW });
const pinned = aRole({ pinned: true, expiresAt: null });
const deleted = aRole({ deletedAt: NOW });

const commands: readonly RoleCommand[] = [
  { type: 'set_title', title: TITLE },
  { type: 'set_password', hash: HASH },
  { type: 'set_password', hash: null },
  { type: 'reset_expiration' },
  { type: 'pin' },
  { type: 'unpin' },
  { type: 'stop' },
  { type: 'create_grant' },
];

function changed(role: typeof published, command: RoleCommand) {
  const outcome = decide(role, command, NOW, limits);
  if (outcome.kind !== 'decided') throw new Error(`refused: ${outcome.state}`);
  return outcome.role;
}

function refusal(role: typeof published, command: RoleCommand): string | undefined {
  const outcome = decide(role, command, NOW, limits);
  return outcome.kind === 'refused' ? `${outcome.code}/${outcome.state}` : undefined;
}

function named(command: RoleCommand): string {
  return command.type === 'set_password' && command.hash === null ? 'removing the password' : command.type;
}

describe('the state of a role', () => {
  it('is published until its expiration, and expired from it on, to the millisecond', () => {
    expect(stateOf(expired, NOW)).to.equal('expired');
    expect(stateOf(expired, instant(NOW - 1))).to.equal('published');
  });
  it('is published for ever while pinned', () => {
    expect(stateOf(pinned, instant(NOW + days(36_500)))).to.equal('published');
  });
  it('is deleted once stopped, expired or not', () => {
    expect(stateOf(deleted, NOW)).to.equal('deleted');
    expect(stateOf({ ...expired, deletedAt: NOW }, NOW)).to.equal('deleted');
  });
  it('has exactly three names', () => {
    for (const state of ['published', 'expired', 'deleted', '', 'Published', 'pinned', null, ['expired']]) {
      const isOne = ['published', 'expired', 'deleted'].includes(state as string);
      expect(parseRoleState(state)).to.equal(isOne ? state : undefined);
      const expecting = expect(() => expectState(state as RoleState));
      (isOne ? expecting.not : expecting).to.throw(TypeError);
    }
    expect(() => expectState(undefined)).not.to.throw();
  });
});

describe('the state machine', () => {
  for (const role of [published, pinned]) {
    const name = role.pinned ? 'a pinned role' : 'a published role';
    it(`changes the title of ${name}, and nothing else`, () => {
      expect(changed(role, { type: 'set_title', title: TITLE })).to.deep.equal({ ...role, title: TITLE });
      expect(changed(role, { type: 'set_title', title: null })).to.deep.equal({ ...role, title: null });
    });
    it(`changes and removes the password of ${name}, each in a new generation`, () => {
      for (const hash of [HASH, null]) {
        const after = changed(role, { type: 'set_password', hash });
        expect(after).to.deep.equal({ ...role, passwordHash: hash, generation: role.generation + 1 });
      }
    });
    it(`stops ${name} at once, and cuts viewers off`, () => {
      const after = changed(role, { type: 'stop' });
      expect(after).to.deep.equal({ ...role, deletedAt: NOW, generation: role.generation + 1 });
    });
  }

  it('resets the expiration to exactly 7 days from the request, in a new generation', () => {
    const after = changed(published, { type: 'reset_expiration' });
    expect(after).to.deep.equal({
      ...published,
      expiresAt: NOW + WEEK,
      generation: published.generation + 1,
    });
  });
  it('refuses to reset the expiration of a pinned role', () => {
    expect(refusal(pinned, { type: 'reset_expiration' })).to.equal('invalid_state/pinned');
  });
  it('pins a published role, which then has no expiration', () => {
    expect(changed(published, { type: 'pin' })).to.deep.equal({
      ...published,
      pinned: true,
      expiresAt: null,
    });
  });
  it('unpins a pinned role, which then expires exactly 7 days from now', () => {
    const after = changed(pinned, { type: 'unpin' });
    expect(after).to.deep.equal({ ...pinned, pinned: false, expiresAt: NOW + WEEK });
  });
  it('changes nothing when pinning or unpinning again', () => {
    expect(changed(pinned, { type: 'pin' })).to.equal(pinned);
    expect(changed(published, { type: 'unpin' })).to.equal(published);
  });
  it('stops an expired role', () => {
    expect(changed(expired, { type: 'stop' }).deletedAt).to.equal(NOW);
  });
  for (const command of commands) {
    it(`refuses ${named(command)} for a deleted role`, () => {
      expect(refusal(deleted, command)).to.equal('invalid_state/deleted');
    });
    if (command.type === 'stop') continue;
    it(`refuses ${named(command)} for an expired role`, () => {
      expect(refusal(expired, command)).to.equal('invalid_state/expired');
    });
  }

  it('returns events with the current time, and none when nothing changes', () => {
    const eventTypesOf = (role: typeof published, command: RoleCommand) => {
      const outcome = decide(role, command, NOW, limits);
      if (outcome.kind !== 'decided') return outcome.code;
      for (const { at } of outcome.events) expect(at).to.equal(NOW);
      if (outcome.events.length === 0) expect(outcome.role).to.equal(role);
      return outcome.events.map(({ type }) => type).join();
    };
    expect(commands.map((command) => eventTypesOf(published, command))).to.deep.equal([
      'pin.title_changed',
      'pin.password_set',
      'pin.password_removed',
      'pin.renewed',
      'pin.pinned',
      '',
      'pin.stopped',
      '',
    ]);
    expect(eventTypesOf(pinned, { type: 'unpin' })).to.equal('pin.unpinned');
    expect(eventTypesOf(pinned, { type: 'pin' })).to.equal('');
    expect(eventTypesOf({ ...published, passwordHash: HASH }, { type: 'create_grant' })).to.equal(
      'pin.grant_created',
    );
    expect(eventTypesOf({ ...published, title: TITLE }, { type: 'set_title', title: TITLE })).to.equal('');
    expect(eventTypesOf({ ...published, passwordHash: HASH }, { type: 'set_password', hash: HASH })).to.equal(
      'pin.password_set',
    );
  });

  it('keeps its invariants over any sequence of commands', () => {
    const step = fc.record({
      command: fc.constantFrom(...commands),
      elapsed: fc.integer({ min: 0, max: days(9) }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let role = aRole({ expiresAt: instant(NOW + WEEK) });
        let now = NOW;
        for (const { command, elapsed } of steps) {
          now = instant(now + elapsed);
          const outcome = decide(role, command, now, limits);
          if (outcome.kind === 'refused') continue;
          expect(stateOf(role, now)).not.to.equal('deleted');
          expect(outcome.role.generation).to.be.at.least(role.generation);
          expect(outcome.role.pinned).to.equal(outcome.role.expiresAt === null);
          expect(outcome.role.id).to.equal(role.id);
          role = outcome.role;
        }
      }),
    );
  });
});
