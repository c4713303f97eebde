import { expect } from 'chai';
import { readSettings } from '../../src/index.ts';
import { webAddresses } from '../../src/settings/web-addresses.ts';
import { firstStartBlock } from '../../src/start/first-start-block.ts';

describe('what the very first start prints', () => {
  const addresses = webAddresses(readSettings({}), 8_080);

  it('has a line that publishes with the key it made', () => {
    const block = firstStartBlock({ apiKey: 'pf_a_b', welcome: undefined }, addresses, undefined);
    expect(block).to.match(/^curl [^\n]*"Authorization: Bearer pf_a_b"/m);
  });

  it('names the variable of callers in that line where the key was given, and says where to take it from', () => {
    const block = firstStartBlock({ apiKey: undefined, welcome: undefined }, addresses, undefined);
    expect(block).to.match(/^curl [^\n]*"Authorization: Bearer \$PINFOLD_KEY"/m);
    expect(block).to.match(/^API key +the one in PINFOLD_API_KEY [^\n]*PINFOLD_KEY/m);
  });
});
