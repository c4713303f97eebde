import { days, OPERATOR, parseRoleId, type RoleId } from '@pinfold/core';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { problemTable } from '../src/problems/problem-table.ts';
import { type Answer, ask, publish, update } from './client.ts';
import { openRig } from './rig.ts';

describe('A change that the state does not permit', () => {
  const rig = ofEachTest(openRig);

  const stop = (id: string): Promise<Answer> => ask(rig, `/api/v1/pins/${id}`, { method: 'DELETE' });

  async function published(key: string): Promise<RoleId> {
    const { json } = await publish(rig, key);
    return parseRoleId(json.pin.id) as RoleId;
  }

  /** Every refusal of the state machine, by state and operation. */
  async function refusals(): Promise<ReadonlyMap<string, Answer>> {
    const [deleted, expired, pinned] = [await published('a'), await published('b'), await published('c')];
    await stop(deleted);
    await rig.useCases.pin({ by: OPERATOR, id: pinned });
    rig.clock.advance(days(7));
    const answers = new Map<string, Answer>();
    for (const [state, id] of Object.entries({ deleted, expired })) {
      for (const change of [{ title: 'x' }, { password: 'harbour lights' }, { reset_expiration: true }]) {
        answers.set(`${state} ${Object.keys(change)}`, await update(rig, id, change));
      }
      const body = JSON.stringify({ pin: id });
      const headers = { 'content-type': 'application/json' };
      answers.set(`${state} name`, await ask(rig, '/api/v1/names/docs', { method: 'PUT', headers, body }));
    }
    answers.set('pinned reset_expiration', await update(rig, pinned, { reset_expiration: true }));
    return answers.set('deleted stop', await stop(deleted));
  }

  it('is refused with the state and the advice for this operation', async () => {
    const details = new Map<unknown, string>();
    for (const [what, { status, json }] of await refusals()) {
      const [state = ''] = what.split(' ');
      expect(`${status} ${json.code}`, what).to.equal('409 invalid_state');
      expect(json.detail, what).to.match(new RegExp(`\\b${state}\\b`));
      expect(json.detail, what).not.to.equal(problemTable.invalid_state.detail);
      expect(json.suggestion, what).to.match(/^[^.]+\.$/);
      expect(json.suggestion, what).not.to.include(problemTable.invalid_state.advice);
      expect((json.errors as readonly { readonly rule: string }[])[0]?.rule, what).to.equal(state);
      details.set(json.detail, what);
    }
    const [restored] = [...details].find(([, what]) => what === 'expired reset_expiration') ?? [];
    expect(restored).to.match(/cannot be restored/);
    // Refusals for one reason have one answer.
    expect([...details.values()]).to.deep.equal([
      'deleted reset_expiration',
      'deleted name',
      'expired password',
      'expired reset_expiration',
      'expired name',
      'pinned reset_expiration',
      'deleted stop',
    ]);
  });
});
