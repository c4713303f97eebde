// Which bundles a task needs, and whether those of the last time still are what their sources say. Plain JavaScript
// for an old Node, as run.mjs.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finished } from './finished.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, 'node_modules', '.cache');

/** What browsers load of the management screen: they run no TypeScript. */
export const screen = {
  bundler: 'packages/management/build.ts',
  record: join(cache, 'pinfold-screen.json'),
};

/** The server of `npm start`: to find and read its 750 modules one by one would take half of a start. */
export const server = {
  bundler: 'scripts/bundle-server.ts',
  record: join(cache, 'pinfold-server.json'),
  file: 'examples/reference-app/dist/bundle/main.js',
};

/** Whether all that was made is there, and no source changed since. */
function isFresh({ record }) {
  try {
    const { began, sources, made } = JSON.parse(readFileSync(record, 'utf8'));
    const isAsRead = ([file, changed]) => {
      const { mtimeMs } = statSync(join(root, file));
      return mtimeMs === changed && mtimeMs < began;
    };
    return made.every((file) => existsSync(join(root, file))) && sources.every(isAsRead);
  } catch {
    return false;
  }
}

/** Makes a bundle unless it is fresh, and says whether it is now. */
export async function isBundled(bundle, { node, flags, env }) {
  if (isFresh(bundle)) return true;
  mkdirSync(cache, { recursive: true });
  const build = [...flags, join(root, bundle.bundler), bundle.record];
  const { succeeded } = await finished(node, build, { env, shell: false, stdio: ['ignore', 2, 2] });
  return succeeded;
}
