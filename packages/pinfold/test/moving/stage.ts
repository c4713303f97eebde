import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packFiles } from '@pinfold/client/zip';
import type { ArchiveId, Role, RoleId, Token } from '@pinfold/core';
import { compose } from '../../src/compose/compose.ts';
import { DEFAULT_ACCOUNT } from '../../src/identity.ts';
import { describeRecords, MANIFEST, RECORDS } from '../../src/moving/export-form.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { type CommandRun, type Env, run } from '../command-run.ts';
import { newFolder } from '../servers/new-folder.ts';
import { createNoise } from './load.ts';

/** A folder of one test, with services in subfolders. */
export interface Stage {
  readonly folder: string;
  /** A path below it. */
  at(...names: readonly string[]): string;
  /** The settings of a service with SQLite and files. */
  env(name: string): Env;
  /** Creates a service and publishes this many sites with it, each of some bytes. */
  stock(name: string, count: number, bytes?: number): Promise<Env>;
}

export function openStage(): Stage {
  const folder = newFolder();
  const at: Stage['at'] = (...names) => join(folder, ...names);
  const env: Stage['env'] = (name) => ({
    PINFOLD_DATA_DIR: at(name),
    PINFOLD_PORT: '0',
    PINFOLD_WELCOME: 'off',
  });
  return {
    folder,
    at,
    env,
    stock: async (name, count, bytes = 100) => {
      await publishSites(env(name), count, bytes);
      return env(name);
    },
  };
}

async function publishSites(env: Env, count: number, bytes: number): Promise<void> {
  const { useCases, close } = await compose(readSettings(env));
  for (let n = 0; n < count; n += 1) {
    const page = Buffer.from(`<!doctype html><title>${n}</title><p>${createNoise(n, bytes)}`);
    const { bytes: archive } = await packFiles([{ path: 'index.html', bytes: page }]);
    const request = {
      by: DEFAULT_ACCOUNT,
      key: `stock ${n}`,
      filename: 'site.zip',
      title: String(n),
      archive,
    };
    const outcome = await useCases.publish(request);
    if (outcome.kind !== 'published') throw new Error(JSON.stringify(outcome));
  }
  await close();
  await run(env, 'keys', 'create', '--account', 'Ünïted', '--label', 'of the test');
}

/** The ids of the archives of a service, in order. */
export async function archivesOf(env: Env): Promise<readonly ArchiveId[]> {
  const { ports, close } = await compose(readSettings(env), { purpose: 'import' });
  const ids = await ports.archives.list(undefined, 10_000);
  await close();
  return ids;
}

/** Ends a publication and removes its archive, like a sweep. */
export function removeArchive(env: Env, id: ArchiveId): Promise<RoleId> {
  return removeOnceEnded(env, id, (role) => ({ ...role, deletedAt: role.publishedAt }));
}

/** Ends the publication of the first archive, and removes it. */
export async function removeFirstArchive(env: Env): Promise<ArchiveId> {
  const [first] = await archivesOf(env);
  if (first === undefined) throw new Error('there is no archive');
  await removeArchive(env, first);
  return first;
}

/** Removes the archive of a publication in service, as an earlier release did with a wrong clock. */
export async function loseArchive(env: Env, id: ArchiveId): Promise<RoleId> {
  let before: Role | undefined;
  const pin = await removeOnceEnded(env, id, (role) => {
    before = role;
    return { ...role, expiresAt: role.publishedAt };
  });
  const { ports, close } = await compose(readSettings(env));
  const loaded = await ports.roles.load(pin);
  if (loaded === undefined || before === undefined) throw new Error('a role is not there');
  await ports.roles.save(before, loaded.version, []);
  await close();
  return pin;
}

async function removeOnceEnded(env: Env, id: ArchiveId, endedNow: (role: Role) => Role): Promise<RoleId> {
  const { ports, close } = await compose(readSettings(env));
  const { roles, snapshot, archives } = ports;
  let pin: RoleId | undefined;
  for await (const { kind, value } of snapshot.records()) {
    if (kind !== 'publication' || value.archive !== id) continue;
    const loaded = await roles.load(value.id);
    if (loaded === undefined) throw new Error('a role is not there');
    const { publishedAt: at } = value;
    await roles.save(endedNow(loaded.value), loaded.version, []);
    const claim = { now: at, endedBefore: at, token: 'of the test' as Token, until: at, limit: 1 };
    const [task] = await roles.claimForCleanup(claim);
    if (task?.archive !== id) throw new Error('another role was claimed');
    await archives.delete(id);
    await roles.settleCleanup(task, { kind: 'removed' }, []);
    pin = value.id;
  }
  await close();
  if (pin === undefined) throw new Error('no publication has the archive');
  return pin;
}

/** Runs a command that must succeed. */
export async function succeed(env: Env, ...args: readonly string[]): Promise<CommandRun> {
  const ran = await run(env, ...args);
  if (ran.code !== 0) throw new Error(`pinfold ${args.join(' ')}: ${ran.err}`);
  return ran;
}

/** The paths of all files in a folder, in order. */
export async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Every file of a folder, with a hash of its bytes. */
export async function hashFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const contents: Record<string, string> = {};
  for (const file of await listFiles(folder))
    contents[file.slice(folder.length)] = hash(await readFile(file));
  return contents;
}

/** Changes members of the manifest of an export. */
export async function alterManifest(folder: string, members: object): Promise<void> {
  const file = join(folder, MANIFEST);
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...members }));
}

/** Replaces the text of the only file of records in an export, with a manifest that matches it. */
export async function replaceRecords(folder: string, change: (text: string) => string): Promise<void> {
  const [before = ''] = await listFiles(join(folder, RECORDS));
  const text = change(await readFile(before, 'utf8'));
  await writeFile(before, text);
  const content = describeRecords(Buffer.from(text));
  await alterManifest(folder, { records: [{ file: relative(folder, before), ...content }] });
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
