import { expect } from 'chai';
import { answeredInTurn } from 'pinfold-test-servers/service';
import { openRig } from './rig.ts';

describe('requests that come at once on one connection of the API', () => {
  it('are worked on one at a time', async () => {
    const begun = await answeredInTurn(async (authenticate) => {
      const { baseUrl } = await openRig({ api: { authenticate } });
      return { url: `${baseUrl}/api/v1/limits`, beside: `${baseUrl}/openapi.json` };
    });
    expect(begun).to.deep.equal([1, 2, 3]);
  });
});
