import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORE_LIMIT, coreSize } from '../../scripts/check-core-size.ts';
import { packageIn } from '../../scripts/pack.ts';
import { type Row, reportParts } from '../lib/report.ts';
import { memoryRows, smallFilesRows, smallRows } from './memory.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The size of the core, and of an installed server. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  try {
    const core = { what: '@pinfold/core, minified and gzipped', unit: 'bytes', goal: { atMost: CORE_LIMIT } };
    await reportParts('size', {
      core: async () => [{ ...core, figure: await coreSize() }],
      install: () => installRows(folder),
      memory: () => memoryRows(folder),
      small: () => smallRows(folder),
      files: () => smallFilesRows(folder),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Packs everything for publication, and installs the server with npm into an empty folder, like its users. */
async function installRows(folder: string): Promise<readonly Row[]> {
  process.stderr.write('packing and installing\n');
  const packing = ['run', '--silent', 'pack:all', '--', folder];
  execFileSync('npm', packing, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const ours = Object.fromEntries(tarballs.map((name) => [packageIn(name), `file:${name}`]));
  const server = 'pinfold';
  const manifest = { private: true, dependencies: { [server]: ours[server] }, overrides: ours };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const installing = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', installing, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const theirs = Object.entries(packages).filter(([path]) => !/(?:^|\/@pinfold\/.*|\/pinfold)$/.test(path));
  const code = theirs.filter(([path]) => !path.includes('/@types/'));
  const scripted = theirs.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  return [
    { what: `packages of others that ${server} brings`, figure: code.length, unit: 'packages' },
    { what: 'and of types alone', figure: theirs.length - code.length, unit: 'packages' },
    { what: 'of them with a script at install', figure: scripted.length, unit: 'packages' },
    { what: 'all of it on disk', figure: await mebibytes(join(folder, 'node_modules')), unit: 'MiB' },
  ];
}

/** The part of a package-lock.json that is read here. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

async function mebibytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
}
