// Without it the two commands of the README fail on a machine whose Node is older than ours (better-sqlite3
// crashes there) or which has no pnpm. Plain JavaScript that Node 16 can read, since an old Node starts it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const onWindows = process.platform === 'win32';
const fromSource = '--conditions=@pinfold/source';
/**
 * The server and the command run on their sources: nothing to build first, and never a stale build. With the
 * compile cache they start as fast as built code does.
 */
const tasks = {
  start: { file: 'examples/reference-app/src/main.ts', serves: true },
  pinfold: { file: 'packages/pinfold/src/main.ts' },
  setup: { needsPnpm: true, serves: true },
  spec: { file: 'node_modules/mocha/bin/mocha.js', serves: true },
  test: { file: 'scripts/test.ts', needsPnpm: true, serves: true },
  bench: { file: 'bench/run.ts', serves: true },
  mutation: { file: 'scripts/mutation.ts' },
  pack: { file: 'scripts/pack.ts', needsPnpm: true },
  release: { file: 'scripts/release.ts', needsPnpm: true },
  installers: { file: 'scripts/check-installers.ts', needsPnpm: true },
  'check-deploy': { file: 'scripts/check-deploy.ts', needsPnpm: true },
  'many-nodes': { file: 'test-contracts/proof/three-nodes/show.ts', serves: true },
};

function stop(message) {
  console.error(message);
  process.exit(1);
}

function nodeIsNew(version) {
  const [major, minor] = version.replace('v', '').split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** Whether the pnpm of this machine is the release that package.json names. */
function pnpmIsOurs() {
  const { stdout } = spawnSync('pnpm', ['--version'], { cwd: root, encoding: 'utf8', shell: onWindows });
  return (stdout || '').trim() === pinnedPnpm();
}

function pinnedPnpm() {
  return readJson(join(root, 'scripts', 'pnpm', 'package.json')).dependencies.pnpm;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The folder in which npx keeps Node 24, remembered so that a later start needs no network. */
function fetchedNode() {
  const memory = join(root, 'node_modules', '.cache', 'pinfold-tools');
  const remembered = existsSync(memory) ? readFileSync(memory, 'utf8') : '';
  if (remembered && existsSync(join(remembered, 'node'))) {
    return remembered;
  }
  console.error('pinfold: fetching Node 24 (once; npm keeps it in its cache)');
  const found = spawnSync(
    'npx',
    ['--yes', '--loglevel=error', '-p', 'node@24', 'node', '-p', 'process.version+process.env.PATH'],
    { cwd: root, encoding: 'utf8', shell: onWindows, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [, version, path] = /^(v[0-9.]+)(.+)$/m.exec(found.stdout || '') || [];
  if (found.status !== 0 || !version || !nodeIsNew(version)) {
    stop('pinfold: npx could not fetch Node. Please install Node 22.18 or newer by hand.');
  }
  const folder = path.split(delimiter)[0];
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, folder);
  return folder;
}

/** The folder of the pinned pnpm. npm compares what it fetches with the hashes in scripts/pnpm/package-lock.json. */
function fetchedPnpm(env) {
  const folder = join(root, 'scripts', 'pnpm');
  const installed = join(folder, 'node_modules', 'pnpm', 'package.json');
  if (!existsSync(installed) || readJson(installed).version !== pinnedPnpm()) {
    console.error(`pinfold: fetching pnpm ${pinnedPnpm()} (once)`);
    // --no-save: the lockfile stays as it is, also where npm adds the executable of another platform.
    const { status } = spawnSync(
      'npm',
      ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
      { cwd: folder, env, shell: onWindows, stdio: ['ignore', 2, 2] },
    );
    if (status !== 0) {
      stop(`pinfold: npm could not fetch pnpm. Please install pnpm ${pinnedPnpm()} by hand.`);
    }
  }
  return join(folder, 'node_modules', '.bin');
}

/** pnpm keeps a copy of the lockfile that it installed last. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.pnpm', 'lock.yaml');
  return existsSync(installed) && readFileSync(installed).equals(readFileSync(join(root, 'pnpm-lock.yaml')));
}

/** Writes to standard error only: the standard output belongs to the task. */
function install(env) {
  console.error('pinfold: installing dependencies');
  const { status } = spawnSync('pnpm', ['install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    // CI: pnpm asks nothing. NODE_ENV: with "production" it would leave out what development needs.
    env: { ...env, CI: 'true', NODE_ENV: '' },
    shell: onWindows,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    stop('pinfold: the dependencies could not be installed; what went wrong stands above.');
  }
}

/** Browsers run no TypeScript: what they load of the management screen is bundled before anything serves it. */
function bundle(node, env) {
  const { status } = spawnSync(
    node,
    [fromSource, '--disable-warning=ExperimentalWarning', join(root, 'packages/management/build.ts')],
    { env, stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) {
    stop('pinfold: the management screen could not be bundled; what went wrong stands above.');
  }
}

function run(node, file, args, env) {
  const child = spawn(
    node,
    [fromSource, '--disable-warning=ExperimentalWarning', join(root, file), ...args],
    {
      env,
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => stop(`pinfold: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

const [name, ...args] = process.argv.slice(2);
const task = tasks[name];
if (!task) {
  stop(`usage: node scripts/run.mjs ${Object.keys(tasks).join('|')} [arguments]`);
}
const compileCache = join(root, 'node_modules', '.cache', 'node-compile');
const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
let node = process.execPath;
const oldNode = !nodeIsNew(process.version);
const missingInstall = !isInstalled();
if (oldNode) {
  const folder = fetchedNode();
  env.PATH = folder + delimiter + env.PATH;
  node = join(folder, 'node');
}
if ((missingInstall || task.needsPnpm) && !pnpmIsOurs()) {
  env.PATH = fetchedPnpm(env) + delimiter + env.PATH;
}
if (missingInstall) {
  install(env);
}
if (name === 'spec') {
  if (args.length === 0) {
    stop('usage: npm run spec -- FILE … [options of mocha]');
  }
  // Specs call the tools of the workspace by name, and processes of their own load the sources, too.
  env.PATH = join(root, 'node_modules', '.bin') + delimiter + env.PATH;
  env.NODE_OPTIONS = `${env.NODE_OPTIONS || ''} ${fromSource}`.trim();
}
if (name === 'start' || name === 'pinfold') {
  // Node keeps what it made of the sources: later starts need not take the types out again.
  env.NODE_COMPILE_CACHE ||= join(root, 'node_modules', '.cache', 'pinfold-compiled');
}
if (task.serves || (name === 'pinfold' && args[0] === 'serve')) {
  bundle(node, env);
}
if (task.file) {
  run(node, task.file, args, env);
} else {
  console.log('pinfold: ready. `npm start` starts a server, `npm run spec -- FILE` runs one file of tests.');
}
