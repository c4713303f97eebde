// Which bundles a task needs, and whether the ones that exist are still up to date. Plain JavaScript
// for an old Node, as run.mjs.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const cache = join(root, 'node_modules', '.cache');

/** What browsers load of the management screen: they run no TypeScript. */
export const screen = {
  bundler: 'packages/management/build.ts',
  record: join(cache, 'pinfold-screen.json'),
};

/** The packages of the server, for `npm start`. */
export const server = {
  bundler: 'scripts/bundle-server.ts',
  record: join(cache, 'pinfold-server.json'),
};

/** Whether all that was read and made is as it was then. */
function isFresh({ record }) {
  try {
    const { began, sources, made } = JSON.parse(readFileSync(record, 'utf8'));
    const isAsNoted = ([file, changed, length], before) => {
      const { mtimeMs, size } = statSync(`${root}/${file}`);
      return mtimeMs === changed && size === length && mtimeMs < before;
    };
    // A source that was changed while it was bundled may be read or not.
    return sources.every((file) => isAsNoted(file, began)) && made.every((file) => isAsNoted(file, Infinity));
  } catch {
    return false;
  }
}

/** Makes a bundle unless it is fresh, and says whether it is now. */
export async function isBundled(bundle, { node, flags, env }) {
  if (isFresh(bundle)) return true;
  mkdirSync(cache, { recursive: true });
  const build = [...flags, join(root, bundle.bundler), bundle.record];
  const { succeeded } = await runCommand(node, build, { env, shell: false, stdio: ['ignore', 2, 2] });
  return succeeded;
}
