import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountId, OPERATOR, type RoleId } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import {
  type HttpService,
  type HttpSubject,
  httpApiContract,
  httpViewingContract,
} from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { createApp, readSettings } from 'pinfold';
import { testModule } from './service/test-module.ts';

type Mode = HttpService['viewerMode'];

/** Opens the reference server by its settings, except the clock and the cost of password hashes. */
async function openApp(mode: Mode): Promise<HttpSubject> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-reference-'));
  const clock = createManualClock();
  const settings = readSettings({
    PINFOLD_PORT: '0',
    PINFOLD_DATA_DIR: folder,
    PINFOLD_VIEWER_MODE: mode,
    PINFOLD_WELCOME: 'off',
  });
  const app = await createApp(settings, { modules: [testModule(clock)], log: () => {} });
  const { addresses } = await app.listen();
  const { pin, unpin } = await app.container.getAsync(tokens.useCases);
  const manageKeys = await app.container.getAsync(tokens.manageKeys);
  const [first, second] = [accountId('first'), accountId('second')];
  const service: HttpService = {
    baseUrl: addresses.publicUrl,
    viewerMode: mode,
    keys: {
      first: (await manageKeys.create({ by: OPERATOR, account: first })).text,
      second: (await manageKeys.create({ by: OPERATOR, account: second })).text,
      readOnly: (await manageKeys.create({ by: OPERATOR, account: first, scopes: ['pins:read'] })).text,
    },
    advance: async (length) => clock.advance(length),
    pin: async (id) => void (await pin({ by: OPERATOR, id: id as RoleId })),
    unpin: async (id) => void (await unpin({ by: OPERATOR, id: id as RoleId })),
  };
  return {
    port: service,
    peer: async () => service,
    dispose: async () => {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}

// The clauses that depend on how the app is composed; the tests of API and viewer check the rest.
describeContract(httpApiContract, {
  name: 'createApp',
  create: () => openApp('origin'),
  clauses:
    /^http\/(harness-\w+|publish-(created|password|name)|warnings|archive-size|dry-run|early-answer|replay|key-freed|parallel|client-gone|limits|list|update-(title|password)|stop|pinned|unauthorized|forbidden|routes|answers|head|problems|urls|document|agent-guide)$/,
});
describeContract(httpViewingContract, {
  name: 'createApp, in path mode',
  create: () => openApp('path'),
  clauses:
    /view-(open|addresses|stopped|expired|grant|grant-needed|grant-ends|way-in|password-(page|right|wrong|limit)|methods)$/,
});
