import { type AccountLimits, accountId, type Cause, type Mode, minutes, type RateText } from '@pinfold/core';
import { createAdministration, type NewBlock } from '@pinfold/core/administration';
import { createMemory } from '@pinfold/memory';
import { RandomIds } from '@pinfold/platform-node';
import { aTakedown, createManualClock, rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';

const CAUSE: Cause = { actor: { kind: 'operator', id: null }, asOperator: true };
const ADA = accountId('ada');
const NEWEST = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 1 };
const WRONG_TEXTS = ['', ' ', '\0\0\0', 'a\nb', '\ud800', 'x'.repeat(256), 5, undefined];

describe('administration', () => {
  const memory = createMemory();
  const clock = createManualClock();
  const administration = createAdministration({ ...memory, clock, ids: new RandomIds() });

  it('refuses a block without a reason or with an unknown value of sites', async () => {
    for (const reason of WRONG_TEXTS) {
      const block = { reason, sites: 'keep' } as NewBlock;
      expect(await rejectionOf(administration.blockAccount('ada', block, CAUSE))).to.be.instanceOf(TypeError);
    }
    const block = { reason: 'x', sites: 'nonsense' } as unknown as NewBlock;
    expect(await rejectionOf(administration.blockAccount('ada', block, CAUSE))).to.be.instanceOf(TypeError);
    expect(await memory.accounts.load(ADA)).to.equal(undefined);
    const right = { reason: '🌊'.repeat(255), sites: 'hide' } as const;
    expect(await administration.blockAccount('ada', right, CAUSE)).to.deep.nested.include({
      'account.blocked.sites': 'hide',
      'account.blocked.reason': right.reason,
    });
  });

  it('refuses invalid limits', async () => {
    for (const limits of [
      { publications: '10 per hour' },
      { requests: 5 },
      { sites: -5 },
      { sites: 1.5 },
      { bytes: '20' },
      { files: 3 },
      { toString: null },
    ]) {
      const wanted = limits as unknown as AccountLimits;
      expect(await rejectionOf(administration.limitAccount('grace', wanted, CAUSE))).to.be.instanceOf(
        TypeError,
      );
    }
    expect(await memory.accounts.load(accountId('grace'))).to.equal(undefined);
    const right = { publications: '10/1h' as RateText, requests: 'off' as RateText, sites: 0 };
    const given = { ...right, bytes: undefined } as unknown as AccountLimits;
    const limited = await administration.limitAccount('grace', given, CAUSE);
    expect(limited).to.deep.nested.include({ 'account.limits': { ...right, bytes: null } });
  });

  it('refuses a takedown without a reason', async () => {
    for (const reason of WRONG_TEXTS) {
      const request = { id: 'x', reason: reason as string, cause: CAUSE };
      expect(await rejectionOf(administration.takeDown(request))).to.be.instanceOf(TypeError);
      const brought = { ...aTakedown(1), reason: reason as string };
      expect(await rejectionOf(administration.bringTakedown(brought, CAUSE))).to.be.instanceOf(TypeError);
    }
  });

  it('refuses unknown modes and empty messages', async () => {
    for (const mode of [
      { kind: 'off', message: null },
      ...[...WRONG_TEXTS].map((message) => ({ kind: 'read_only', message })),
    ]) {
      expect(await rejectionOf(administration.changeService(mode as Mode, CAUSE))).to.be.instanceOf(
        TypeError,
      );
    }
    expect(await administration.showService()).to.deep.equal({ kind: 'normal', message: null });
  });

  it('records the actor and the instant of a change of the mode', async () => {
    const changed = { ...CAUSE, type: 'service.mode_changed', account: null };
    for (const kind of ['read_only', 'normal'] as const) {
      clock.advance(minutes(1));
      await administration.changeService({ kind, message: 'It moves.' }, CAUSE);
      const message = kind === 'normal' ? null : 'It moves.';
      expect(await administration.showService()).to.deep.equal({ kind, message });
      const { items } = await memory.history.list(NEWEST);
      expect(items)
        .to.have.lengthOf(1)
        .with.property('0')
        .that.deep.includes({ ...changed, at: clock.now() });
    }
  });

  it('does not share objects with its callers', async () => {
    const given = { kind: 'normal' as Mode['kind'], message: null as string | null };
    const answers: { kind: string; message: string | null }[] = [
      given,
      await administration.changeService(given, CAUSE),
      await administration.showService(),
    ];
    for (const answer of answers) Object.assign(answer, { kind: 'read_only', message: 'changed' });
    expect(await administration.showService()).to.deep.equal({ kind: 'normal', message: null });
    const again = await administration.changeService({ kind: 'normal', message: null }, CAUSE);
    expect(again).to.deep.equal({ kind: 'normal', message: null });
  });

  it('records each change of an account once, and ends the grants of viewers if its sites are hidden', async () => {
    const { blockAccount, limitAccount, unblockAccount } = administration;
    const block = (sites: 'keep' | 'hide', reason: string) => blockAccount('olga', { reason, sites }, CAUSE);
    const limit = (limits: object) => limitAccount('olga', limits, CAUSE);
    for (const [change, type, generation] of [
      [() => unblockAccount('olga', CAUSE), undefined, 1],
      [() => limit({ sites: 3 }), 'account.limits_changed', 1],
      [() => limit({ sites: 3, bytes: undefined }), undefined, 1],
      [() => block('keep', 'Spam.'), 'account.blocked', 1],
      [() => block('keep', 'Spam.'), undefined, 1],
      [() => block('hide', 'Spam.'), 'account.blocked', 2],
      [() => block('hide', 'Fraud.'), 'account.blocked', 2],
      [() => unblockAccount('olga', CAUSE), 'account.unblocked', 2],
      [() => unblockAccount('olga', CAUSE), undefined, 2],
    ] as const) {
      clock.advance(minutes(1));
      const changed = await change();
      if ('code' in changed) throw new Error(changed.code);
      const { account } = changed;
      const { items } = await memory.history.list({ ...NEWEST, since: clock.now() });
      expect(items.map((event) => event.type)).to.deep.equal(type === undefined ? [] : [type]);
      expect(account.generation).to.equal(generation);
      expect((await administration.showAccount('olga'))?.account).to.deep.equal(account);
    }
  });

  it('refuses to list roles of an unknown state', async () => {
    const state = 'gone' as 'deleted';
    expect(await rejectionOf(administration.listRoles({ state }))).to.be.instanceOf(TypeError);
  });
});
