import { expect } from 'chai';
import { answeredInTurn } from 'pinfold-test-servers/service';
import { openRig } from './rig.ts';

describe('pipelined requests to the API', () => {
  it('are handled one at a time', async () => {
    const begun = await answeredInTurn(async (authenticate) => {
      const { baseUrl } = await openRig({ api: { authenticate } });
      return { url: `${baseUrl}/api/v1/limits`, beside: `${baseUrl}/openapi.json` };
    });
    expect(begun).to.deep.equal([1, 2, 3]);
  });
});
