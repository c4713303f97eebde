import { Fault } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { formatStartBlock } from '../../src/start/first-start.ts';
import { serve } from '../servers/served.ts';

describe('a start on a full database', () => {
  it('serves without a sign-in link, and logs that', async () => {
    const lines: string[] = [];
    const fault = new Fault('store_unavailable', 'the database cannot be used now');
    const fullDatabase = new ContainerModule(({ onActivation }) => {
      onActivation(tokens.sessions, (_context, sessions) =>
        replacing(sessions, { offer: () => Promise.reject(fault) }),
      );
    });
    const options = { modules: [fullDatabase], log: (line: string) => void lines.push(line), terminal: true };
    const served = await serve({}, options);
    const { status } = await fetch(`${served.url}/healthz`);
    await served.close();
    expect(status).to.equal(200);
    expect(served.signInLink).to.equal(undefined);
    expect(lines.join('')).to.include('no sign-in link could be created');
    expect(served.firstStart).not.to.equal(undefined);
    for (const firstStart of [served.firstStart, undefined]) {
      expect(formatStartBlock({ ...served, firstStart })).not.to.match(/link=|undefined/);
    }
  });
});
