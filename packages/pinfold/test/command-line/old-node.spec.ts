import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { unsupportedNodeMessage } from '../../src/command-line/old-node.ts';

describe('the Node that runs the command', () => {
  it('is named in one line with the oldest supported version, if it is too old', () => {
    expect(unsupportedNodeMessage('20.20.2')).to.equal(
      'pinfold: this is Node 20.20.2, but Pinfold needs 22.18 or later',
    );
    expect(unsupportedNodeMessage('22.17.1')).to.not.equal(undefined);
    for (const version of ['22.18.0', '24.0.0', '26.1.0'])
      expect(unsupportedNodeMessage(version)).to.equal(undefined);
  });

  it('matches the engines of the package', async () => {
    const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
    const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
    expect(unsupportedNodeMessage('0.0.0')).to.include(`${engines.node.replace('>=', '')} or later`);
  });
});
