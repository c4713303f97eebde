import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cleaning,
  days,
  Fault,
  type Limits,
  OPERATOR,
  type StagedArchive,
  type Staging,
  type UseCases,
} from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { observer, tokens } from '@pinfold/inversify';
import { createMemory, type Memory } from '@pinfold/memory';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { compose } from '../../src/compose/compose.ts';
import { createContainerLayer } from '../../src/compose/container.ts';
import { createApp, readSettings, type Settings } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';
import { serve } from '../servers/served.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';

const staged = { size: 0, discard: async () => undefined } as unknown as StagedArchive;
const staging: Pick<Staging, 'receive' | 'check'> = {
  receive: async () => ({ kind: 'received', archive: staged }),
  check: () => Promise.reject(new Fault('staging_unavailable', 'away')),
};
const myStaging = new ContainerModule(({ rebind }) => {
  rebind(tokens.staging).toResolvedValue(async () => staging as Staging);
});

describe('the secret in the data folder', () => {
  it('is named in one line, and not shown, if it is invalid', async () => {
    const folder = newFolder();
    await writeFile(join(folder, 'secret'), 'half of a secr');
    const { message } = await settingsErrorOf(compose(readSettings({ PINFOLD_DATA_DIR: folder })));
    expect(message)
      .to.match(/^PINFOLD_DATA_DIR \(dataDir\) names a folder whose file "secret" cannot be used: [^\n]+$/)
      .and.not.include('half of');
  });
});

describe('the period of a renewal', () => {
  it('stays 7 days if a setting changes the first lifetime', async () => {
    const settings = readSettings({ PINFOLD_DATA_DIR: newFolder() });
    const limitsOf = async (own: Partial<Settings>, limits?: Partial<Limits>) => {
      const composition = await compose({ ...settings, ...own }, limits && { limits });
      await composition.close();
      return composition.useCases.limits;
    };
    expect(await limitsOf({ limits: { lifetime: days(30) } })).to.include({
      lifetime: days(30),
      renewal: days(7),
    });
    const inCode = await limitsOf({}, { lifetime: days(30) });
    expect(inCode).to.include({ lifetime: days(30), renewal: days(30) });
  });
});

/** A store of the embedding program: a class whose methods need `this`. */
class MyPersistence {
  readonly #memory: Memory;

  constructor() {
    this.#memory = createMemory();
    const { migrate: _, close: __, ...stores } = this.#memory;
    Object.assign(this, stores);
  }

  migrate(): Promise<void> {
    return this.#memory.migrate();
  }

  async close(): Promise<void> {
    await this.#memory.close();
    throw new Fault('store_unavailable', 'it cannot be closed');
  }
}

const myPersistence = new ContainerModule(({ rebind }) => {
  rebind(tokens.persistence)
    .toResolvedValue(() => new MyPersistence() as unknown as Persistence)
    .inSingletonScope()
    .onDeactivation((persistence) => persistence.close());
});

describe('modules of the embedding program', () => {
  let folder: string;
  let settings: Settings;

  beforeEach(async () => {
    folder = newFolder();
    settings = readSettings({ PINFOLD_PORT: '0', PINFOLD_DATA_DIR: folder, PINFOLD_WELCOME: 'off' });
  });

  it('may bind a persistence that is a class instance', async () => {
    const composition = await compose(settings, {}, createContainerLayer([myPersistence]));
    const { key } = await composition.manageKeys.create({ by: OPERATOR, account: 'ada' });
    expect(await composition.manageKeys.list({ by: 'ada' })).to.deep.include({ keys: [key] });
    await rejectionOf(composition.close());
  });

  it('may bind observers, which wrap every call of a port', async () => {
    const calls: string[] = [];
    const observing = new ContainerModule(({ bind }) => {
      for (const name of ['first', 'second']) {
        bind(observer).toConstantValue((call, method, port) => (...inputs) => {
          if (port === 'roles') calls.push(`${name} ${method}`);
          return call(...inputs);
        });
      }
    });
    const composition = await compose(settings, {}, createContainerLayer([observing]));
    await composition.useCases.list({ by: 'ada' });
    expect(calls).to.deep.equal(['second list', 'first list']);
    await composition.close();
  });

  it('find a part for every token in the container of the server', async () => {
    const app = await createApp(settings, { log: () => undefined });
    await app.listen();
    for (const [name, token] of Object.entries(tokens) as [string, ServiceIdentifier][]) {
      expect(['object', 'function'], name).to.include(typeof (await app.container.getAsync(token)));
    }
    await app.close();
  });

  it('may fail to close, but the metrics still stop', async () => {
    const withMetrics = { ...settings, metricsPort: 0 };
    const app = await createApp(withMetrics, { modules: [myPersistence], log: () => undefined });
    const { metricsPort } = await app.listen();
    const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    expect((await fetch(metrics)).status).to.equal(200);
    expect(await rejectionOf(app.close())).to.include({ code: 'store_unavailable' });
    expect(await rejectionOf(fetch(metrics))).to.be.instanceOf(TypeError);
  });

  it('may bind use cases without a staging', async () => {
    const useCases = { mine: true } as unknown as UseCases & Cleaning;
    const mine = new ContainerModule(({ rebind }) => {
      rebind(tokens.useCases).toConstantValue(useCases);
    });
    const composition = await compose(settings, {}, createContainerLayer([mine]));
    expect(composition.useCases).to.equal(useCases);
    await composition.publications.ended(AbortSignal.timeout(60_000));
    await composition.close();
  });

  it('have their publications counted until the archive is discarded', async () => {
    const composition = await compose(settings, {}, createContainerLayer([myStaging]));
    const body = new ReadableStream<Uint8Array>();
    const received = await composition.useCases.staging.receive(body, 1);
    if (received.kind !== 'received') throw new Error(received.kind);
    let ended = false;
    const ending = composition.publications.ended(AbortSignal.timeout(60_000)).then(() => {
      ended = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).to.equal(false);
    await received.archive.discard();
    await ending;
    await composition.close();
  });

  it('have their health checked', async () => {
    const { url, close } = await serve({}, { modules: [myStaging] });
    const answer = await fetch(`${url}/healthz`);
    expect(await answer.json()).to.include({ database: 'ok', staging: 'unavailable' });
    await close();
  });
});
