import { Fault, type SessionStore } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { createApp, readSettings } from '../../src/index.ts';
import { firstStartBlock, startBlock } from '../../src/start/first-start-block.ts';
import { newFolder } from '../servers/new-folder.ts';

const FAULT = new Fault('store_unavailable', 'the database cannot be used now');
const refuse = (): Promise<never> => Promise.reject(FAULT);
const SESSIONS: SessionStore = {
  offer: refuse,
  redeem: refuse,
  begin: refuse,
  find: refuse,
  list: refuse,
  end: refuse,
  refuse,
  purge: refuse,
};

describe('a start on a database that takes no more', () => {
  it('serves all the same, without a sign-in link, and says so in the log', async () => {
    const lines: string[] = [];
    const full = new ContainerModule(({ rebind }) => {
      rebind(tokens.sessions).toConstantValue(SESSIONS);
    });
    const settings = readSettings({ PINFOLD_PORT: '0', PINFOLD_DATA_DIR: newFolder() });
    const log = (line: string): void => void lines.push(line);
    const app = await createApp(settings, { modules: [full], log, terminal: true });
    const { addresses, firstStart, untouched, signInLink } = await app.listen();
    const site = await fetch(`${addresses.publicUrl}/healthz`);
    await app.close();
    expect(site.status).to.equal(200);
    expect(signInLink).to.equal(undefined);
    expect(lines.join('')).to.include('no sign-in link could be made');
    const blocks = [startBlock(untouched, addresses, signInLink)];
    if (firstStart !== undefined) blocks.push(firstStartBlock(firstStart, addresses, signInLink));
    expect(blocks).to.have.lengthOf(2);
    for (const block of blocks) expect(block).not.to.match(/link=|undefined/);
  });
});
