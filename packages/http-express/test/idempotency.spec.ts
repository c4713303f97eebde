import { accountId, after, type Fingerprint, type IdempotencyKey, seconds, type Token } from '@pinfold/core';
import { aReservation, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { publish } from './client.ts';
import { openRig } from './rig.ts';

describe('A publication whose process died', () => {
  it('is in progress until its lease lapses, and can then be published', async () => {
    const rig = await openRig();
    const { json } = await publish(rig, 'probe');
    expect(json.pin.id).to.be.a('string');
    const reserved = await rig.memory.roles.reserve({
      ...aReservation(1),
      account: accountId('first'),
      key: 'orphaned' as IdempotencyKey,
      fingerprint: 'of what it was' as Fingerprint,
      token: 'of a process that is no more' as Token,
      now: rig.clock.now(),
      until: after(rig.clock.now(), seconds(60)),
    });
    expect(reserved.kind).to.equal('reserved');
    const other = await publish(rig, 'orphaned');
    expect(`${other.status} ${other.json.code}`).to.equal('409 idempotency_mismatch');
    rig.clock.advance(seconds(59));
    expect((await publish(rig, 'orphaned')).status).to.equal(409);
    rig.clock.advance(seconds(1));
    expect((await publish(rig, 'orphaned')).status).to.equal(201);
    await rig.close();
  });
});

describe('A publication that is still running', () => {
  it('is 409 with Retry-After for the same request, and a mismatch for another', async () => {
    const { promise: mayCommit, resolve: letCommit } = Promise.withResolvers<void>();
    const { promise: committing, resolve: begun } = Promise.withResolvers<void>();
    const rig = await openRig({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          commit: async (...inputs) => {
            begun();
            await mayCommit;
            return roles.commit(...inputs);
          },
        }),
      }),
    });
    const first = publish(rig, 'running');
    await committing;
    const same = await publish(rig, 'running');
    expect(`${same.status} ${same.json.code}`).to.equal('409 idempotency_in_progress');
    expect(same.headers.get('retry-after')).to.equal('5');
    expect(same.json).to.include({ retryable: true });
    const other = await publish(rig, 'running', 'another title');
    expect(`${other.status} ${other.json.code}`).to.equal('409 idempotency_mismatch');
    letCommit();
    expect((await first).status).to.equal(201);
    expect((await publish(rig, 'running')).status).to.equal(200);
    await rig.close();
  });
});

describe('A repeated publication', () => {
  it('is answered without a staged file, and a mismatch is still noticed', async () => {
    let staged = 0;
    const rig = await openRig({
      ports: ({ staging }) => ({
        staging: replacing(staging, {
          receive: (...inputs) => {
            staged += 1;
            return staging.receive(...inputs);
          },
        }),
      }),
    });
    const first = await publish(rig, 'repeated');
    const again = await publish(rig, 'repeated');
    expect([again.status, again.json.pin.id]).to.deep.equal([200, first.json.pin.id]);
    const other = await publish(rig, 'repeated', 'another title');
    expect(`${other.status} ${other.json.code}`).to.equal('409 idempotency_mismatch');
    expect(staged).to.equal(1);
    await rig.close();
  });
});
