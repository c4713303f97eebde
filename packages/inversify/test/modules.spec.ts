import 'reflect-metadata/lite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountId, hours, isFault, OPERATOR } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { expect } from 'chai';
import { Container, type ContainerModule, type ServiceIdentifier } from 'inversify';
import { archiveZipModule } from '../src/archive-zip.ts';
import { coreModule } from '../src/core.ts';
import { api, authenticate, httpExpressModule } from '../src/http-express.ts';
import { observer, tokens } from '../src/index.ts';
import { management, managementModule } from '../src/management.ts';
import { memoryModule } from '../src/memory.ts';
import { persistenceSqliteModule } from '../src/persistence-sqlite.ts';
import { platformNodeModule } from '../src/platform-node.ts';
import { stagingFsModule, storageFsModule } from '../src/storage-fs.ts';
import { viewer, viewerModule } from '../src/viewer.ts';

const publicUrl = 'http://localhost:8080';

describe('the modules', () => {
  let folder: string;
  let container: Container;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-inversify-'));
  });

  afterEach(async () => {
    await container.unbindAllAsync();
    await rm(folder, { recursive: true });
  });

  function load(...stores: readonly ContainerModule[]): Container {
    container = new Container();
    container.load(
      platformNodeModule({ secrets: ['a secret of more than sixteen bytes'] }),
      archiveZipModule({ workers: 1 }),
      coreModule({ lifetime: hours(1) }),
      httpExpressModule({ publicUrl }),
      viewerModule(() => ({ publicUrl })),
      managementModule({ publicUrl }),
      ...stores,
    );
    return container;
  }

  function inMemory(): readonly ContainerModule[] {
    return [memoryModule(), stagingFsModule({ staging: join(folder, 'staging') })];
  }

  const combinations: Readonly<Record<string, () => readonly ContainerModule[]>> = {
    memory: inMemory,
    'SQLite and files': () => [
      persistenceSqliteModule({ file: join(folder, 'pinfold.sqlite') }),
      storageFsModule({ folder: join(folder, 'archives'), staging: join(folder, 'staging') }),
    ],
  };
  for (const [name, stores] of Object.entries(combinations)) {
    it(`bind every token, over ${name}`, async () => {
      load(...stores());
      await (await container.getAsync(tokens.persistence)).migrate();
      const all: Readonly<Record<string, ServiceIdentifier>> = {
        ...tokens,
        api,
        authenticate,
        viewer,
        management,
      };
      for (const [token, identifier] of Object.entries(all)) {
        expect(['object', 'function'], token).to.include(typeof (await container.getAsync(identifier)));
      }
      const manageKeys = await container.getAsync(tokens.manageKeys);
      const { text } = await manageKeys.create({ by: OPERATOR, account: accountId('ada') });
      expect((await manageKeys.authenticate(text))?.account).to.equal('ada');
    });
  }

  it('give one and the same to everybody', async () => {
    load(...inMemory());
    const persistence = await container.getAsync(tokens.persistence);
    expect(await container.getAsync(tokens.roles)).to.equal(persistence.roles);
    expect(await container.getAsync(tokens.useCases)).to.equal(container.get(tokens.useCases));
  });

  it('hand the limits on', async () => {
    load(...inMemory());
    expect((await container.getAsync(tokens.useCases)).limits.lifetime).to.equal(hours(1));
  });

  it('let a team bind its own in the place of ours', async () => {
    load(...inMemory());
    const { archives } = createMemory();
    container.rebind(tokens.archives).toConstantValue(archives);
    container.rebind(authenticate).toConstantValue(async () => undefined);
    expect(await container.getAsync(tokens.archives)).to.equal(archives);
    expect(await container.getAsync(api)).to.be.a('function');
    container.load(managementModule({ publicUrl, authenticate: async () => undefined }));
  });

  it('pass the calls of the use cases through every observer that is bound', async () => {
    load(...inMemory());
    const calls: string[] = [];
    for (const name of ['first', 'second']) {
      container.bind(observer).toConstantValue((call, method, port) => (...inputs) => {
        calls.push(`${name} ${method} ${port}`);
        return call(...inputs);
      });
    }
    const { list } = await container.getAsync(tokens.useCases);
    await list({ by: 'ada' });
    expect(calls).to.deep.equal(['second list roles', 'first list roles']);
  });

  it('open nothing before it is asked for, and close what was opened', async () => {
    load(persistenceSqliteModule({ file: join(folder, 'missing', 'pinfold.sqlite') }));
    await container.unbindAllAsync();
    load(persistenceSqliteModule({ file: join(folder, 'pinfold.sqlite') }));
    const persistence = await container.getAsync(tokens.persistence);
    await persistence.migrate();
    await container.unbindAllAsync();
    const outcome = await persistence.check().catch((error: unknown) => isFault(error) && error.code);
    expect(outcome).to.equal('store_unavailable');
  });
});
