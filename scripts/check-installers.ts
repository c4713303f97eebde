// Without it only installing with npm would be tested, and pnpm and yarn lay packages out differently. What is
// packed is installed by each into an empty folder, where `pinfold serve` must show its welcome site and stop when it is
// told to; under Node 22.18 and 26, Deno and Bun, too, where @pinfold/client must publish to it, and pack the same bytes as
// under Node. The oldest TypeScript that documents name must read the types, beside those of Express 4. It needs the
// registry, and so is not part of `npm test`. `npm run check:installers [-- FOLDER with tarballs]`
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showWelcome } from './deployed-tree.ts';
import { build, pack, packageIn, packed } from './pack.ts';

interface Installer {
  readonly name: string;
  readonly install: readonly [string, ...string[]];
  /** The program that runs a command of an installed package. */
  readonly execute: readonly [string, ...string[]];
}

const yarn = ['npx', '--yes', '@yarnpkg/cli-dist@4'] as const;
const installers: readonly Installer[] = [
  { name: 'npm', install: ['npm', 'install', '--no-audit', '--no-fund'], execute: ['npx', '--no'] },
  { name: 'pnpm', install: ['pnpm', 'install', '--ignore-scripts'], execute: ['pnpm', 'exec'] },
  { name: 'yarn', install: [...yarn, 'install', '--no-immutable'], execute: [...yarn, 'exec'] },
];
/** They run the packages that npm installed, and are installed beside them, including the oldest supported release of Node. */
const runtimes: readonly Pick<Installer, 'name' | 'execute'>[] = [
  { name: 'Node 22.18', execute: ['node_modules/node-22/bin/node'] },
  { name: 'Node 26', execute: ['node_modules/node-26/bin/node'] },
  { name: 'Deno', execute: ['node_modules/.bin/deno', 'run', '--allow-all'] },
  { name: 'Bun', execute: ['node_modules/.bin/bun'] },
];
const work = mkdtempSync(join(tmpdir(), 'pinfold-installers-'));
// The settings of the npm that runs this script must not reach those that it runs.
const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(inherited),
  NODE_OPTIONS: '',
  CI: 'true',
  PINFOLD_PORT: '0',
  PINFOLD_API_KEY: `pf_smoke1234_${'s'.repeat(43)}`,
};

/** Packs and publishes a page, and prints the digest of the ZIP. */
const CLIENT = `
import { createHash } from 'node:crypto';
import { PinfoldClient } from '@pinfold/client';
import { packFiles } from '@pinfold/client/zip';

const page = new TextEncoder().encode('<!doctype html><title>Hello</title>'.repeat(999));
const files = ['index.html', '.env.local', 'b/あ.txt'].map((path) => ({ path, bytes: page }));
const { bytes } = await packFiles(files);
const client = new PinfoldClient({ url: process.argv[2], key: process.env.PINFOLD_API_KEY });
const { pin } = await client.publish(bytes, { filename: 'hello.zip' });
if ((await client.get(pin.id)).pin.file_count !== 2) throw new Error('it published something else');
console.log(createHash('sha256').update(bytes).digest('hex'));
`;
const digests = new Set<string>();

/** The manifest of a project that has `pinfold` and its dependencies from their tarballs. */
function writeProject(folder: string, tarballs: readonly string[]): void {
  const ours = Object.fromEntries(tarballs.map((file) => [packageIn(file), `file:${file}`]));
  const manifest = {
    name: 'project',
    private: true,
    dependencies: { pinfold: ours.pinfold },
    overrides: Object.fromEntries(Object.entries(ours).filter(([name]) => name !== 'pinfold')),
    resolutions: ours,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const overrides = Object.entries(ours).map(([name, file]) => `  '${name}': '${file}'\n`);
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${overrides.join('')}`);
  writeFileSync(join(folder, 'yarn.lock'), '');
  writeFileSync(
    join(folder, '.yarnrc.yml'),
    'nodeLinker: node-modules\nenableTelemetry: false\nenableScripts: false\n',
  );
}

/** Runs the client beside the server. */
function runClient(folder: string, [file = '', ...args]: readonly string[], url: string): void {
  writeFileSync(join(folder, 'client.mjs'), CLIENT);
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(file, [...args, 'client.mjs', url], options);
  if (status !== 0) throw new Error(`the client did not publish under ${file}: ${stderr}`);
  digests.add(stdout.trim());
}

/**
 * The milliseconds until a server showed its welcome site, after which it stopped cleanly.
 *
 * @param runtime what runs the client beside it.
 */
async function serve(
  folder: string,
  program: readonly string[],
  runtime?: readonly string[],
): Promise<number> {
  const ended = await showWelcome([...program, 'serve'], { cwd: folder, env }, (origin) => {
    if (runtime !== undefined) runClient(folder, runtime, origin);
  });
  // Installers end by the signal themselves; of Bun's log the last line is lost at times.
  if (!ended.isStopLogged && ended.code !== 0)
    throw new Error(`${program[0]} did not stop the server cleanly`);
  return ended.milliseconds;
}

/** Doors in an app whose types are those of Express 4. */
const MOUNTED = `
import express from 'express';
import { openPinfold } from 'pinfold';

const pinfold = await openPinfold({ dataDir: './data', publicUrl: 'http://localhost:8080' });
const app = express();
app.use(pinfold.viewer, pinfold.api);
app.use('/manage', pinfold.management);
`;

/** Whether the oldest TypeScript accepts correct code, and finds wrong code: types that it cannot read are `any`. */
function readTypes(folder: string): string {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'embedding', 'other-servers.md'), 'utf8');
  const oldest = /^TypeScript (\d+\.\d+) reads our types/m.exec(page)?.[1];
  if (oldest === undefined) throw new Error('the page names no oldest TypeScript');
  const tools = [`typescript@${oldest}`, '@types/node@24', '@types/express@4'];
  spawnSync('npm', ['install', '--no-save', ...tools], { cwd: folder, env });
  const compile = (program: string): string => {
    writeFileSync(join(folder, 'program.mts'), program);
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'node16', '--target', 'es2022'];
    const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
    return spawnSync(process.execPath, [tsc, ...options, 'program.mts'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    }).stdout;
  };
  const term = (type: string): string =>
    `import { days } from '@pinfold/core';\nexport const term: ${type} = days(7);\n`;
  const [right, wrong] = [compile(MOUNTED + term('number')), compile(MOUNTED + term('string'))];
  if (right !== '' || !wrong.includes('TS2322')) throw new Error(`TypeScript ${oldest}: ${right}${wrong}`);
  return oldest;
}

function prepared(): readonly string[] {
  const [given] = process.argv.slice(2);
  if (given !== undefined) return packed(given);
  build();
  return pack(join(work, 'tarballs'));
}

try {
  const tarballs = prepared();
  for (const { name, install, execute } of installers) {
    const folder = join(work, name);
    mkdirSync(folder);
    writeProject(folder, tarballs);
    const [file, ...args] = install;
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${install.join(' ')}\n${stdout}${stderr}`);
    // Only npm installs the dependencies of "pinfold" where a program of the project finds them.
    const runtime = name === 'npm' ? [process.execPath] : undefined;
    const milliseconds = await serve(folder, [...execute, 'pinfold'], runtime);
    console.log(`${name}, Node ${process.version}: ready in ${Math.round(milliseconds)} ms`);
  }
  const folder = join(work, 'npm');
  console.log(`TypeScript ${readTypes(folder)}: reads the types`);
  const node = `npm:node-${process.platform}-${process.arch}`;
  const others = [`node-22@${node}@22.18`, `node-26@${node}@26`, 'deno@2', 'bun@1'];
  const { status } = spawnSync('npm', ['install', '--no-save', ...others], { cwd: folder, env });
  if (status !== 0) throw new Error(`${others.join(', ')} could not be installed`);
  for (const { name, execute } of runtimes) {
    rmSync(join(folder, 'data'), { recursive: true });
    const milliseconds = await serve(folder, [...execute, 'node_modules/pinfold/dist/main.js'], execute);
    console.log(`${name}: ready in ${Math.round(milliseconds)} ms`);
  }
  if (digests.size !== 1) throw new Error('the same files were packed into different ZIPs');
} finally {
  rmSync(work, { recursive: true, force: true });
}
