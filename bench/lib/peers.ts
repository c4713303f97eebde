import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../peers');

/** Installs the peers that Pinfold is compared with, beside the workspace and only when a bench needs them. */
export function installPeers(): void {
  if (existsSync(join(FOLDER, 'node_modules/sirv'))) return;
  process.stderr.write('installing the peers\n');
  const { status } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: FOLDER,
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error('the peers could not be installed');
}

/** The file of a peer's server. */
export function peerServer(name: string): string {
  return join(FOLDER, 'servers', `${name}.mjs`);
}

/** A folder inside an installed peer. */
export function peerFolder(name: string): string {
  return join(FOLDER, 'node_modules', name);
}
