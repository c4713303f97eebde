import { accountId, days, hours, type Mode, OPERATOR, type RoleId, type RoleStore } from '@pinfold/core';
import { createAdministration } from '@pinfold/core/administration';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { codeOf, eventsOf, OWNER, stageOfEachTest } from './stage.ts';

const READ_ONLY: Mode = { kind: 'read_only', message: null };
const BY_OPERATOR = { actor: { kind: 'operator', id: 'ada' }, asOperator: true } as const;

describe('creating a grant', () => {
  const stage = stageOfEachTest();
  let id: RoleId;
  beforeEach(async () => {
    id = await stage.publish();
    await stage.useCases.update({ by: OWNER, id }, { type: 'set_password', password: 'open sesame' });
  });

  async function created(useCases = stage.useCases, by: string | typeof OPERATOR = OWNER) {
    const outcome = await useCases.createGrant({ by, id });
    if (outcome.kind !== 'granted') throw new Error(outcome.code);
    return outcome;
  }

  const eventTypes = async () => (await eventsOf(stage)).map(({ type }) => type);

  it('creates a hand-over that admits for a minute, and records it', async () => {
    const { grant, publication, endsAt } = await created();
    if (grant === null) throw new Error('there is no grant');
    expect(publication).to.include({ id, passwordProtected: true });
    expect(endsAt).to.equal(stage.clock.now() + hours(12));
    const visit = await stage.useCases.visit(id);
    if (visit.kind !== 'published') throw new Error(visit.kind);
    const token = await stage.useCases.grants.sign(grant);
    expect(await stage.useCases.grants.admit(visit, 'hand_over', [token])).to.deep.equal(grant);
    expect(await stage.useCases.grants.admit(visit, 'cookie', [token])).to.equal(undefined);
    expect((await eventTypes())[0]).to.equal('pin.grant_created');
  });

  it('creates none for an open publication, and records nothing', async () => {
    await stage.useCases.update({ by: OWNER, id }, { type: 'set_password', password: null });
    const before = await eventTypes();
    stage.clock.advance(days(6.75));
    const { grant, publication, endsAt } = await created();
    expect([grant, endsAt]).to.deep.equal([null, publication.expiresAt]);
    expect(await eventTypes()).to.deep.equal(before);
  });

  it('uses the stored generation, even if the password changes meanwhile', async () => {
    let races = 1;
    const save: RoleStore['save'] = async (...input) => {
      if (races > 0) {
        races -= 1;
        await stage.useCases.update({ by: OWNER, id }, { type: 'reset_expiration' });
      }
      return await stage.memory.roles.save(...input);
    };
    const { grant, publication } = await created(
      stage.with({ roles: replacing(stage.memory.roles, { save }) }),
    );
    expect(races).to.equal(0);
    expect(grant?.generation).to.equal(publication.generation);
    expect((await eventTypes()).slice(0, 2)).to.deep.equal(['pin.grant_created', 'pin.renewed']);
  });

  it('is refused to other accounts, and for a publication that has ended', async () => {
    const outcomeOf = (by: string) => codeOf(stage.useCases.createGrant({ by: accountId(by), id }));
    expect(await outcomeOf('stranger')).to.equal('not_found');
    stage.clock.advance(days(7));
    expect(await outcomeOf(OWNER)).to.equal('invalid_state');
    await stage.useCases.stop({ by: OWNER, id });
    expect(await outcomeOf(OWNER)).to.equal('not_found');
  });

  it('works while the service is read-only, and only for the operator if the account is blocked', async () => {
    const administration = createAdministration(stage.ports);
    await administration.changeService(READ_ONLY, BY_OPERATOR);
    expect((await created()).grant).not.to.equal(null);
    await administration.blockAccount(OWNER, { reason: 'x', sites: 'keep' }, BY_OPERATOR);
    expect(await codeOf(stage.useCases.createGrant({ by: OWNER, id }))).to.equal('account_blocked');
    expect((await created(stage.useCases, OPERATOR)).grant).not.to.equal(null);
  });
});
