// Without it what npm can install would be all that is known: pnpm and yarn lay packages out in other ways. What is
// packed is installed by each into an empty folder, where `pinfold serve` must show its welcome site. It needs the
// registry, and so is no part of `npm test`. `npm run check:installers [-- FOLDER with tarballs]`
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { build, pack, packageIn, packed } from './pack.ts';

interface Installer {
  readonly name: string;
  readonly install: readonly [string, ...string[]];
  /** What runs a command of an installed package. */
  readonly execute: readonly [string, ...string[]];
}

const yarn = ['npx', '--yes', '@yarnpkg/cli-dist@4'] as const;
const installers: readonly Installer[] = [
  { name: 'npm', install: ['npm', 'install', '--no-audit', '--no-fund'], execute: ['npx', '--no'] },
  { name: 'pnpm', install: ['pnpm', 'install', '--ignore-scripts'], execute: ['pnpm', 'exec'] },
  { name: 'yarn', install: [...yarn, 'install', '--no-immutable'], execute: [...yarn, 'exec'] },
];
const work = mkdtempSync(join(tmpdir(), 'pinfold-installers-'));
const env: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '', CI: 'true', PINFOLD_PORT: '0' };

/** The manifest of a project that has `pinfold` from its tarball, and what that names from theirs. */
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

/** The milliseconds until it printed the address of its welcome site, which then answered. */
async function serve(folder: string, [file, ...args]: Installer['execute']): Promise<number> {
  const began = performance.now();
  const child = spawn(file, [...args, 'pinfold', 'serve'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface(child.stdout)) {
      const [url] = /http:\/\/\S+\/s\/[\w-]+/.exec(line) ?? [];
      if (url === undefined) continue;
      const milliseconds = performance.now() - began;
      const { status } = await fetch(url, { redirect: 'manual' });
      if (status !== 302) throw new Error(`the welcome site answered ${status}`);
      return milliseconds;
    }
    throw new Error('it ended before it had shown its welcome site');
  } finally {
    await end(child);
  }
}

/** Installers run what they are asked to in processes of their own, so all of them are told. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  process.kill(-child.pid, 'SIGTERM');
  await once(child, 'exit');
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
    const folder = mkdtempSync(join(work, `${name}-`));
    writeProject(folder, tarballs);
    const [file, ...args] = install;
    const { status, stdout, stderr } = spawnSync(file, args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${install.join(' ')}\n${stdout}${stderr}`);
    const milliseconds = await serve(folder, execute);
    console.log(`${name}, Node ${process.version}: ready in ${Math.round(milliseconds)} ms`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
