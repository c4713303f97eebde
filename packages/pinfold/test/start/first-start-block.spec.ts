import { expect } from 'chai';
import { readSettings } from '../../src/index.ts';
import { resolveWebAddresses } from '../../src/settings/web-addresses.ts';
import { formatStartBlock } from '../../src/start/first-start-block.ts';

/** The output of the very first start, with a new key or a configured one. */
function blockFor(apiKey: string | undefined): string {
  const addresses = resolveWebAddresses(readSettings({}), 8_080);
  const firstStart = { apiKey, welcome: undefined };
  return formatStartBlock({ addresses, firstStart, signInLink: undefined });
}

describe('the output of the very first start', () => {
  it('has a command that publishes with the new key', () => {
    expect(blockFor('pf_a_b')).to.match(/^curl [^\n]*"Authorization: Bearer pf_a_b"/m);
  });

  it('uses a variable in that command if the key was configured, and explains it', () => {
    const block = blockFor(undefined);
    expect(block).to.match(/^curl [^\n]*"Authorization: Bearer \$PINFOLD_KEY"/m);
    expect(block).to.match(/^API key +the one in PINFOLD_API_KEY [^\n]*PINFOLD_KEY/m);
  });
});
