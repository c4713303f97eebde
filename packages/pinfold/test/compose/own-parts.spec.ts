import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { instant, type Staging } from '@pinfold/core';
import type { Observer } from '@pinfold/core/adapter';
import { createMemory } from '@pinfold/memory';
import { RandomIds, SystemClock } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { aRoleId, createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { openPinfold } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';

describe('the parts of Pinfold in a server of your own', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = newFolder();
  });

  /** The packages that a separate process has loaded once Pinfold is open. */
  async function loadedFor(options: object): Promise<readonly string[]> {
    const script = join(import.meta.dirname, '..', 'servers', 'print-loaded.ts');
    const optionsText = JSON.stringify({ dataDir, publicUrl: 'http://localhost', ...options });
    const flags = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, script, optionsText]);
    return JSON.parse(stdout) as readonly string[];
  }

  it('loads InversifyJS only for modules', async () => {
    const inversify = ['inversify', 'reflect-metadata'];
    expect(await loadedFor({ modules: [] })).to.include.members(inversify);
    expect((await loadedFor({})).filter((name) => inversify.includes(name))).to.deep.equal([]);
  });

  it('accepts your own parts as plain options, and does not close them', async () => {
    const memory = createMemory();
    const calls: string[] = [];
    const recordCalls: Observer = (call, method, port) => {
      return (...inputs) => {
        calls.push(`${method} ${port}`);
        return call(...inputs);
      };
    };
    let uploads = 0;
    const folder = join(dataDir, 'mine');
    const fsStaging = await openFsStaging({ folder, clock: new SystemClock() });
    const staging = replacing(fsStaging, {
      receive: (...inputs: Parameters<Staging['receive']>) => {
        uploads += 1;
        return fsStaging.receive(...inputs);
      },
    });
    const id = aRoleId(7);
    const clock = createManualClock(instant(Date.UTC(2026, 0, 1)));
    const opened = await openPinfold({
      dataDir,
      publicUrl: 'http://localhost',
      persistence: memory,
      archives: memory.archives,
      staging,
      clock,
      ids: replacing(new RandomIds(), { role: () => id }),
      observers: [recordCalls],
    });
    const archive = zipSync({ 'index.html': new Uint8Array(1) }, { mtime: '2026-11-20' });
    const outcome = await opened.publish({ by: 'ada', key: 'one', filename: 'site.zip', archive });
    if (outcome.kind !== 'published') throw new Error(outcome.kind);
    const { publication } = outcome;
    expect(publication).to.include({ id, publishedAt: clock.now() });
    expect(uploads).to.equal(1);
    expect(calls).to.include.members(['receive staging', 'put archives', 'commit roles']);
    await opened.close();
    expect((await memory.roles.load(id))?.value.id).to.equal(id);
    for (const unused of ['pinfold.sqlite', 'archives']) expect(readdirSync(dataDir)).not.to.include(unused);
  });

  it('loads the clients of S3 and PostgreSQL only if settings use them', async () => {
    const clients = ['pg', '@aws-sdk/client-s3'];
    const external = { database: 'postgres://127.0.0.1:1/x', storage: 's3://bucket', secret: 'x'.repeat(16) };
    expect(await loadedFor(external)).to.include.members(clients);
    const loaded = await loadedFor({});
    expect(loaded).to.include('better-sqlite3');
    expect(loaded.filter((name) => clients.includes(name))).to.deep.equal([]);
  });
});
