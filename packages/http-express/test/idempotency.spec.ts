import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { publish } from './client.ts';
import { openRig } from './rig.ts';

describe('A repeated publication', () => {
  it('is answered without a staged file, and still refused on a mismatch', async () => {
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
  });
});
