/**
 * `npm run mutation`: changes the core in a thousand small ways and counts which of them its tests notice.
 * `npm run mutation -- domain/role.ts` does so with a part of the core.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTo, SPECS } from './mutated-copy.ts';

const root = join(import.meta.dirname, '..');
const tools = join(import.meta.dirname, 'mutation');
const modules = join(tools, 'node_modules');
const report = join(root, 'node_modules', '.cache', 'pinfold-mutation');

/** The least part of the changes that the tests must notice, in per cent. */
const LEAST = 90;
const WHOLE_CORE = '**/*.ts';

/** The copy of the lockfile is the mark of a whole install of what is wanted now. */
function installTools(): void {
  const [wanted, installed] = [join(tools, 'package-lock.json'), join(modules, 'installed-lock.json')];
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted))) return;
  console.error('pinfold: installing what mutation testing needs');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', args, { cwd: tools, stdio: ['ignore', 2, 2] });
  copyFileSync(wanted, installed);
}

function configuration(parts: readonly string[]): object {
  const isTTY = process.stdout.isTTY === true;
  return {
    testRunner: 'mocha',
    plugins: [
      join(modules, '@stryker-mutator', 'mocha-runner', 'dist', 'src', 'index.js'),
      join(tools, 'ignore-prose.mjs'),
    ],
    ignorers: ['prose'],
    mochaOptions: { config: '.mocharc.json', spec: SPECS },
    testRunnerNodeArgs: ['--conditions=@pinfold/source'],
    inPlace: true,
    mutate: parts.map((part) => `packages/core/src/${part}`),
    coverageAnalysis: 'perTest',
    // One core is left for people; and a test that waits for it must not count as one that never ends.
    concurrency: Math.max(1, availableParallelism() - 1),
    timeoutMS: 5_000,
    logLevel: 'warn',
    warnings: { slow: false },
    allowConsoleColors: isTTY,
    reporters: ['clear-text', isTTY ? 'progress' : 'progress-append-only', 'json', 'html'],
    clearTextReporter: { allowColor: isTTY, logTests: false, reportTests: false },
    jsonReporter: { fileName: join(report, 'mutation.json') },
    htmlReporter: { fileName: join(report, 'mutation.html') },
    thresholds: { high: 95, low: LEAST, break: parts.includes(WHOLE_CORE) ? LEAST : null },
  };
}

/** Ends what a run left: one of its processes may be in a loop that a change made endless, and hears nothing. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function run(folder: string, stopped: AbortSignal): Promise<number> {
  const program = join(modules, '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const child = spawn(process.execPath, [program, 'run'], { cwd: folder, detached: true, stdio: 'inherit' });
  const stop = () => child.kill('SIGTERM');
  stopped.addEventListener('abort', stop);
  if (stopped.aborted) stop();
  try {
    const [code] = await once(child, 'exit');
    return code ?? 1;
  } finally {
    endGroup(child);
  }
}

installTools();
const stopping = new AbortController();
// On, not once: a terminal's SIGINT comes from it and from who started us.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
const parts = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'pinfold-mutation-'));
try {
  await copyTo(folder, join(modules, 'mocha'));
  const settings = configuration(parts.length > 0 ? parts : [WHOLE_CORE]);
  await writeFile(join(folder, 'stryker.config.json'), JSON.stringify(settings));
  process.exitCode = stopping.signal.aborted ? 1 : await run(folder, stopping.signal);
  if (!stopping.signal.aborted) {
    console.error(`pinfold: every change and what noticed it: ${join(report, 'mutation.html')}`);
  }
} finally {
  await rm(folder, { recursive: true, maxRetries: 5 });
}
