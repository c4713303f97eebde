/**
 * `npm run mutation`: makes thousands of small changes to the core and counts those that its tests notice.
 * `npm run mutation -- domain/role.ts` does so with a part of the core, `npm run mutation -- viewer` with another
 * package, and `npm run mutation -- viewer --lines 100` with that many of its lines, chosen at random; `--seed` chooses
 * the same again. `npm run mutation -- adapters` does so with three adapters, one after the other.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyTo, groups, type Mutated, mutated } from './mutated-copy.ts';

const root = join(import.meta.dirname, '..');
const tools = join(import.meta.dirname, 'mutation');
const modules = join(tools, 'node_modules');
const report = join(root, 'node_modules', '.cache', 'pinfold-mutation');

const WHOLE = ['**/*.ts'];

/** Installs the tools, unless the copy of the lockfile shows that a complete install of these versions is there. */
function installTools(): void {
  const [wanted, installed] = [join(tools, 'package-lock.json'), join(modules, 'installed-lock.json')];
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(wanted))) return;
  console.error('pinfold: installing what mutation testing needs');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', args, { cwd: tools, stdio: ['ignore', 2, 2] });
  copyFileSync(wanted, installed);
}

interface Sample extends Mutated {
  readonly name: string;
  readonly mutate: readonly string[];
  /** Whether the whole package is mutated: only then does the run fail below `least`. */
  readonly isWhole: boolean;
}

function configuration({ name, specs, mutate, least, isWhole }: Sample): object {
  const isTTY = process.stdout.isTTY === true;
  return {
    testRunner: 'mocha',
    plugins: [
      join(modules, '@stryker-mutator', 'mocha-runner', 'dist', 'src', 'index.js'),
      join(tools, 'ignore-prose.mjs'),
      join(tools, 'ignore-unjudged.mjs'),
    ],
    ignorers: ['prose', 'unjudged'],
    mochaOptions: { config: '.mocharc.json', spec: specs },
    testRunnerNodeArgs: ['--conditions=@pinfold/source'],
    inPlace: true,
    mutate,
    coverageAnalysis: 'perTest',
    // One core stays free for other work. A change counts as noticed if its tests take four times as long as without it:
    // with the default of 1.5, tests that only waited for a core counted, too.
    concurrency: Math.max(1, availableParallelism() - 1),
    timeoutMS: 5_000,
    timeoutFactor: 4,
    logLevel: 'warn',
    warnings: { slow: false },
    allowConsoleColors: isTTY,
    reporters: ['clear-text', isTTY ? 'progress' : 'progress-append-only', 'json', 'html'],
    clearTextReporter: { allowColor: isTTY, logTests: false, reportTests: false },
    jsonReporter: { fileName: join(report, `${name}.json`) },
    htmlReporter: { fileName: join(report, `${name}.html`) },
    thresholds: { high: Math.max(95, least), low: least, break: isWhole ? least : null },
  };
}

/** Kills what a run left behind: a process that a change put into an endless loop handles no other signal. */
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
// `on`, not `once`: SIGINT comes twice, from the terminal and from the parent process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { lines: { type: 'string' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const [first = 'core', ...others] = positionals;
const isNamed = Object.hasOwn(mutated, first) || Object.hasOwn(groups, first);
const [named, parts] = isNamed ? [first, others] : ['core', positionals];
for (const name of groups[named] ?? [named]) {
  if (stopping.signal.aborted) break;
  process.exitCode = Math.max(Number(process.exitCode ?? 0), await measure(name, mutated[name] as Mutated));
}

async function measure(name: string, wanted: Mutated): Promise<number> {
  const isWhole = parts.length === 0 && values.lines === undefined;
  const patterns = parts.length > 0 ? parts : (wanted.sources ?? WHOLE);
  const files = patterns.map((pattern) => `packages/${wanted.package ?? name}/src/${pattern}`);
  const mutate = values.lines === undefined ? files : randomLines(files, Number(values.lines));
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-mutation-'));
  try {
    await copyTo(folder, join(modules, 'mocha'));
    const settings = configuration({ ...wanted, name, mutate, isWhole });
    await writeFile(join(folder, 'stryker.config.json'), JSON.stringify(settings));
    const code = stopping.signal.aborted ? 1 : await run(folder, stopping.signal);
    if (!stopping.signal.aborted) {
      console.error(`pinfold: the report of every change: ${join(report, `${name}.html`)}`);
    }
    return code;
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}

/** Lines of the files that patterns name, chosen by the seed, as the mutation tool takes them: `file.ts:7-7`. */
function randomLines(patterns: readonly string[], count: number): readonly string[] {
  console.error(`pinfold: --lines ${count} --seed ${seed} chooses these lines again`);
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((_, index) => `${file}:${index + 1}-${index + 1}`),
    )
    .map((line) => ({ line, rank: createHash('sha256').update(`${seed} ${line}`).digest('hex') }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ line }) => line);
}
