// Without it the two commands of the README fail on a machine whose Node is older than ours (better-sqlite3
// crashes there) or which has no pnpm. Plain JavaScript that Node 16 can read, since an old Node starts it.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { cache, isBundled, root, screen, server } from './bundles.mjs';
import { runCommand } from './run-command.mjs';

const onWindows = process.platform === 'win32';
const fromSource = '--conditions=@pinfold/source';
const flags = [fromSource, '--disable-warning=ExperimentalWarning'];
/** They run on their sources, with the compile cache: nothing to build first. A bundle that is too old is made again. */
const tasks = {
  start: { file: 'examples/reference-app/src/main.ts', serves: true, bundle: server },
  pinfold: { file: 'packages/pinfold/src/main.ts' },
  setup: { needsPnpm: true, serves: true },
  spec: { file: 'node_modules/mocha/bin/mocha.js', serves: true },
  test: { file: 'scripts/test.ts', needsPnpm: true, serves: true, bundle: server },
  bench: { file: 'bench/run.ts', serves: true },
  mutation: { file: 'scripts/mutation.ts' },
  pack: { file: 'scripts/pack.ts', needsPnpm: true },
  release: { file: 'scripts/release.ts', needsPnpm: true },
  installers: { file: 'scripts/check-installers.ts', needsPnpm: true },
  'check-regexps': { file: 'scripts/check-regexps.ts' },
  'check-deploy': { file: 'scripts/check-deploy.ts', needsPnpm: true },
  'many-nodes': { file: 'acceptance/three-nodes/show.ts', serves: true },
};

function stop(message) {
  console.error(message);
  process.exit(1);
}

function numbersOf(version) {
  return version.replace('v', '').split('.').map(Number);
}

function nodeIsNew(version) {
  const [major, minor] = numbersOf(version);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** Whether it would warn that it can run TypeScript, unless it is started with our flags. */
function warnsOfTypes(version) {
  const [major, minor] = numbersOf(version);
  return major === 23 || (major === 24 && minor < 3);
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

/** The package with Node's executable for this machine, and the version that the lockfile in scripts/node has of it. */
function pinnedNode() {
  const place = join(nodeTools, 'package.json');
  const system = `-${onWindows ? 'win' : process.platform}-${process.arch}`;
  const pinned = existsSync(place) ? Object.entries(readJson(place).optionalDependencies) : [];
  const [name, version] = pinned.find(([known]) => known.endsWith(system)) || [];
  return name && { name, version, modules: join(nodeTools, 'node_modules', name) };
}

/** The version of the Node that this clone fetched, if it did. */
function fetchedVersion(pinned) {
  const isWhole = pinned && existsSync(join(pinned.modules, 'bin', executable));
  return isWhole ? readJson(join(pinned.modules, 'package.json')).version : undefined;
}

/** Fetches the pinned Node. npm compares it with its hash in scripts/node/package-lock.json, and runs no script of it. */
async function fetchNode(pinned) {
  const byHand = 'Please install Node 22.18 or newer by hand.';
  if (!pinned)
    stop(`pinfold: there is no Node to fetch for ${process.platform} on ${process.arch}. ${byHand}`);
  console.error(`pinfold: fetching Node ${pinned.version} (once)`);
  const npm = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const { succeeded } = await runCommand('npm', npm, { cwd: nodeTools, stdio: ['ignore', 2, 2] });
  const folder = join(pinned.modules, 'bin');
  const runs = succeeded && (await runCommand(join(folder, executable), ['--version'])).succeeded;
  if (!runs) stop(`pinfold: npm could not fetch a Node that runs here. ${byHand}`);
  return folder;
}

/** A release of the same line, since the user of another one has chosen it. */
function isOlder(version, than) {
  const [one, other] = [numbersOf(version), numbersOf(than)];
  if (one[0] !== other[0]) return false;
  return one[1] < other[1] || (one[1] === other[1] && one[2] < other[2]);
}

/** npm looks for commands there first: the next run starts with this Node, in place of an old one that starts it. */
function linkForNpm(folder) {
  try {
    const beside = `${linkedNode}-${process.pid}`;
    symlinkSync(join(folder, executable), beside);
    renameSync(beside, linkedNode);
  } catch {
    // Windows may not, and another start may at this moment: the next run takes a little longer.
  }
}

/** The Node that runs npm, if it is new enough, and another than the fetched one, by which the link started us. */
function newerNodeOfNpm() {
  const { npm_config_user_agent: agent = '', npm_node_execpath: path = '' } = process.env;
  const [, version] = /\bnode\/(v[0-9.]+)/.exec(agent) || [];
  return version && nodeIsNew(version) && existsSync(path) && !isSameFile(path, process.execPath)
    ? path
    : undefined;
}

function isSameFile(one, other) {
  return realpathSync(one) === realpathSync(other);
}

/** The folder of the pinned pnpm. npm compares what it fetches with the hashes in scripts/pnpm/package-lock.json. */
async function fetchedPnpm(env) {
  const folder = join(root, 'scripts', 'pnpm');
  const modules = join(folder, 'node_modules');
  const bin = join(modules, '.bin');
  const installed = join(modules, 'pnpm', 'package.json');
  // npm links the command last: without it, an install was interrupted, and npm would take what it left for whole.
  const isWhole = existsSync(installed) && existsSync(join(bin, onWindows ? 'pnpm.cmd' : 'pnpm'));
  if (!isWhole || readJson(installed).version !== pinnedPnpm()) {
    if (!isWhole) rmSync(modules, { recursive: true, force: true });
    console.error(`pinfold: fetching pnpm ${pinnedPnpm()} (once)`);
    // --no-save: the lockfile stays as it is, also where npm adds the executable of another platform.
    const npm = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    const { succeeded } = await runCommand('npm', npm, { cwd: folder, env, stdio: ['ignore', 2, 2] });
    if (!succeeded) {
      stop(`pinfold: npm could not fetch pnpm. Please install pnpm ${pinnedPnpm()} by hand.`);
    }
  }
  return bin;
}

/** pnpm keeps a copy of the lockfile, with all of it only after an install of everything. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.pnpm', 'lock.yaml');
  if (!existsSync(installed)) {
    return false;
  }
  if (readFileSync(installed).equals(lockfile)) {
    return true;
  }
  return onlyServer && existsSync(serverInstall) && readFileSync(serverInstall, 'utf8') === lockfileHash;
}

async function install(env) {
  console.error('pinfold: installing dependencies');
  const pnpm = ['install', '--frozen-lockfile', '--reporter=append-only'];
  // The server and what it depends on, without tools and tests: a fifth of the whole.
  if (onlyServer) pnpm.push('--prod', '--filter-prod=pinfold-example-reference-app...');
  // The lockfile pins every byte, and pnpm asks how old a release is when somebody changes the lockfile. To ask again
  // takes 8 to 13 s; CI does.
  if (!process.env.CI) pnpm.push('--config.minimumReleaseAge=0');
  // It would warn of the Node of this machine, which runs nothing of it.
  if (!nodeIsNew(process.version)) pnpm.push('--config.nodeVersion=24.0.0');
  const { succeeded } = await runCommand('pnpm', pnpm, {
    cwd: root,
    // CI: pnpm asks nothing. NODE_ENV: with "production" it would leave out what development needs.
    env: { ...env, CI: 'true', NODE_ENV: '' },
    stdio: ['ignore', 2, 2],
  });
  if (!succeeded) {
    stop('pinfold: the dependencies could not be installed; what went wrong stands above.');
  }
  mkdirSync(cache, { recursive: true });
  writeFileSync(serverInstall, lockfileHash);
}

/** A process that has the sources' condition becomes the task: another one would take 40 ms to begin. */
async function become(file, preload, env) {
  const { enableCompileCache } = await import('node:module');
  if (env.NODE_COMPILE_CACHE) enableCompileCache(env.NODE_COMPILE_CACHE);
  // What it forks has them, too.
  process.execArgv.push(...preload);
  if (preload.length > 0) await import('./bundled.mjs');
  Object.assign(process.env, env);
  process.argv.splice(1, 2, join(root, file));
  await import(new URL(`../${file}`, import.meta.url));
}

function run(node, file, preload, args, env) {
  const argv = [...flags, ...preload, join(root, file), ...args];
  // In the place of this process: no second one stays in memory, and signals need nobody to pass them on.
  if (process.execve && !onWindows) {
    process.execve(node, [node, ...argv], env);
  }
  const child = spawn(node, argv, { env, stdio: 'inherit' });
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
const nodeTools = join(root, 'scripts', 'node');
const executable = onWindows ? 'node.exe' : 'node';
const linkedNode = join(root, 'node_modules', '.bin', 'node');
const serverInstall = join(cache, 'pinfold-server-install');
const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'));
const lockfileHash = createHash('sha256').update(lockfile).digest('hex');
// A clone that had everything keeps everything.
const onlyServer =
  (name === 'start' || name === 'pinfold') && !existsSync(join(root, 'node_modules', 'mocha'));
const env = { NODE_COMPILE_CACHE: join(cache, 'node-compile'), ...process.env };
let node = process.execPath;
const missingInstall = !isInstalled();
const pinned = pinnedNode();
const fetched = fetchedVersion(pinned);
/** The folder of the Node that this clone fetched; nothing where the user's own runs it. */
function fetchedNodeInTime() {
  const folder = fetched && join(pinned.modules, 'bin');
  const isLinked = [linkedNode, folder && join(folder, executable)].some(
    (file) => file && existsSync(file) && isSameFile(file, process.execPath),
  );
  if (nodeIsNew(process.version) && !isLinked) return undefined;
  const newer = isLinked ? newerNodeOfNpm() : undefined;
  if (newer) {
    rmSync(linkedNode, { force: true });
    node = newer;
    return undefined;
  }
  // A later start needs no network; a set-up renews it.
  if (folder && (fetched === pinned.version || name !== 'setup')) return folder;
  return isLinked && name !== 'setup' ? dirname(realpathSync(process.execPath)) : fetchNode(pinned);
}
const fetchingNode = fetchedNodeInTime();
/** pnpm's installer runs on Node 18 and newer; with such a one it is fetched while Node 24 is. */
async function fetchPnpmInTime() {
  if (!(missingInstall || task.needsPnpm) || pnpmIsOurs()) {
    return undefined;
  }
  const folder = Number.parseInt(process.versions.node, 10) < 18 ? await fetchingNode : undefined;
  return fetchedPnpm(folder ? { ...env, PATH: folder + delimiter + env.PATH } : env);
}
/** pnpm runs without Node, and no package has a script at install: the dependencies come while Node 24 does. */
async function installInTime() {
  const folder = await fetchPnpmInTime();
  if (folder) {
    env.PATH = folder + delimiter + env.PATH;
  }
  if (missingInstall) {
    await install(env);
  }
}
const [nodeFolder] = await Promise.all([fetchingNode, installInTime()]);
if (nodeFolder) {
  env.PATH = nodeFolder + delimiter + env.PATH;
  node = join(nodeFolder, executable);
  linkForNpm(nodeFolder);
}
if (name === 'start' && pinned) {
  const version = (nodeFolder && fetchedVersion(pinned)) || process.version;
  const advice = nodeFolder ? '`npm run setup` fetches it' : 'it may have fixes of weaknesses';
  if (isOlder(version, pinned.version))
    console.error(
      `pinfold: Node ${version.replace('v', '')} runs this, and ${pinned.version} is newer: ${advice}`,
    );
}
if (name === 'spec') {
  if (args.length === 0) {
    stop('usage: npm run spec -- FILE … [options of mocha]');
  }
  // Specs call the tools of the workspace by name, and processes of their own load the sources, too.
  env.PATH = join(root, 'node_modules', '.bin') + delimiter + env.PATH;
  env.NODE_OPTIONS = `${env.NODE_OPTIONS || ''} ${fromSource}`.trim();
}
const preload = [];
if (task.serves || (name === 'pinfold' && args[0] === 'serve')) {
  const [hasScreen, hasBundle] = await Promise.all([
    isBundled(screen, { node, flags, env }),
    task.bundle && isBundled(task.bundle, { node, flags, env }),
  ]);
  if (!hasScreen) {
    stop('pinfold: the management screen could not be bundled; what went wrong stands above.');
  }
  const fromBundle = `--import=${new URL('bundled.mjs', import.meta.url)}`;
  // Specs stay on their sources, and start servers by the dozen.
  if (hasBundle && name === 'test') env.SERVER_PRELOAD = fromBundle;
  else if (hasBundle) preload.push(fromBundle);
  else if (task.bundle) console.error('pinfold: the server could not be bundled, and runs on its sources.');
}
const isTheNode = nodeIsNew(process.version) && isSameFile(node, process.execPath);
if (!task.file) {
  console.log('pinfold: ready. `npm start` starts a server, `npm run spec -- FILE` runs one file of tests.');
} else if (isTheNode && process.execArgv.includes(fromSource) && !warnsOfTypes(process.version)) {
  await become(task.file, preload, env);
} else {
  run(node, task.file, preload, args, env);
}
