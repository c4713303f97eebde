import { Fault } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { firstStartBlock, startBlock } from '../../src/start/first-start-block.ts';
import { serve } from '../servers/served.ts';

describe('a start on a database that takes no more', () => {
  it('serves all the same, without a sign-in link, and says so in the log', async () => {
    const lines: string[] = [];
    const fault = new Fault('store_unavailable', 'the database cannot be used now');
    const full = new ContainerModule(({ onActivation }) => {
      onActivation(tokens.sessions, (_context, sessions) =>
        replacing(sessions, { offer: () => Promise.reject(fault) }),
      );
    });
    const options = { modules: [full], log: (line: string) => void lines.push(line), terminal: true };
    const { url, addresses, firstStart, untouched, signInLink, close } = await serve({}, options);
    const { status } = await fetch(`${url}/healthz`);
    await close();
    expect(status).to.equal(200);
    expect(signInLink).to.equal(undefined);
    expect(lines.join('')).to.include('no sign-in link could be made');
    const blocks = [startBlock(untouched, addresses, signInLink)];
    if (firstStart !== undefined) blocks.push(firstStartBlock(firstStart, addresses, signInLink));
    expect(blocks).to.have.lengthOf(2);
    for (const block of blocks) expect(block).not.to.match(/link=|undefined/);
  });
});
