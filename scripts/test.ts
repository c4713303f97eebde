// `npm test`: runs every check and every suite, several at once, and reports each when it ends; quick ones whose failures
// name their cause run first. `npm test -- NAME …` runs only those of that name.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chosen, type Ending, type Job, runInLanes } from './job-scheduler.ts';
import { suites } from './suites.ts';
import type { Totals } from './totals-reporter.ts';

interface Step extends Job {
  readonly command: readonly [string, ...string[]];
  /** The file with mocha's totals; a step without one counts as one check. */
  readonly totals?: string;
}

const root = join(import.meta.dirname, '..');
const temporary = await mkdtemp(join(tmpdir(), 'pinfold-test-'));
const env = {
  ...process.env,
  // Hundreds of processes load the same files: the first compiles them.
  NODE_COMPILE_CACHE: join(temporary, 'compile-cache'),
  NODE_OPTIONS: '--conditions=@pinfold/source',
  PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH,
};
const BUILD = 'types and build';
const PACKED = 'packed packages';

const specs: readonly Step[] = suites().map(({ name, files, compiled, derivesFrom }, index) => ({
  name,
  needs: compiled ? [BUILD] : [],
  derivesFrom,
  command: ['mocha', '--reporter=./scripts/totals-reporter.ts', ...files],
  totals: join(temporary, `totals-${index}.json`),
}));

function check(name: string, command: Step['command'], needs: readonly string[] = []): Step {
  return { name, command, needs, derivesFrom: [] };
}

const checks: readonly Step[] = [
  check('format and lint', ['biome', 'ci', '--colors=off', '--max-diagnostics=30', '.']),
  // Several checkers of one project would work out the same types again, while other suites need the cores.
  check(BUILD, ['tsc', '-b', '--checkers', '1']),
  check('core uses two globals only', ['node', 'scripts/check-core-globals.ts'], [BUILD]),
  check('arrows between packages', ['node', 'scripts/check-arrows.ts']),
  check("core's size", ['node', 'scripts/check-core-size.ts']),
  check(PACKED, ['node', 'scripts/check-packed.ts', temporary], [BUILD]),
  check('install of the packed packages', ['node', 'scripts/check-installed.ts', temporary], [PACKED]),
];

/** The use cases' specs run first: the other suites would only repeat their failures. */
const steps: readonly Step[] = [...specs.slice(0, 1), ...checks, ...specs.slice(1)];
/** Two more than there are cores, since suites also wait for servers and browsers. */
const lanes = Math.min(4, availableParallelism() + 2);

const running = new Set<ChildProcess>();
const outcomes = new Map<Step, Totals>();
let stopped = false;

async function execute(step: Step): Promise<boolean> {
  if (stopped) return false;
  const began = performance.now();
  const { succeeded, output } = await outputOf(step);
  const outcome = await outcomeOf(step, succeeded, output);
  outcomes.set(step, outcome);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const count = step.totals === undefined ? '' : `${outcome.passed} passed, ${outcome.failed} failed, `;
  console.log(`${succeeded ? 'ok' : 'FAILED'}: ${step.name} (${count}${seconds} s)`);
  if (!succeeded) console.log(`${outcome.first ?? ''}\n${output.trimEnd()}\n`);
  return succeeded;
}

function outputOf({
  command: [file, ...args],
  totals,
}: Step): Promise<{ succeeded: boolean; output: string }> {
  const variables = totals === undefined ? env : { ...env, SUITE_TOTALS: totals };
  const child = spawn(file, args, { cwd: root, env: variables, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      running.delete(child);
      resolve({ succeeded: code === 0, output: Buffer.concat(output).toString() });
    });
  });
}

/** A suite that crashed, or whose totals are missing, counts as at least one failure. */
async function outcomeOf({ totals }: Step, succeeded: boolean, output: string): Promise<Totals> {
  const first = succeeded ? {} : { first: output.trim().split('\n').slice(0, 2).join('\n') };
  if (totals === undefined) return { passed: Number(succeeded), failed: Number(!succeeded), ...first };
  const counted: Totals = await readFile(totals, 'utf8').then(JSON.parse, () => ({ passed: 0, failed: 1 }));
  return succeeded || counted.failed > 0 ? counted : { ...first, ...counted, failed: 1 };
}

/** Prints a summary at the end of a long output: the first failure of each suite, and the suites left out. */
function printFailures(endings: ReadonlyMap<Step, Ending>): void {
  for (const [{ name }, ending] of endings) {
    if (ending.kind === 'left_out') console.log(`left out: ${name}, because ${ending.because} failed`);
  }
  const broken = [...outcomes].filter(([, { failed }]) => failed > 0);
  if (broken.length > 0) console.log('\nThe first failure of each:');
  for (const [{ name }, { first = 'see above' }] of broken) {
    console.log(`  ${name}: ${first.replaceAll('\n', '\n    ')}`);
  }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopped = true;
    for (const child of running) {
      child.kill(signal);
    }
  });
}
try {
  const endings = await runInLanes(chosen(steps, process.argv.slice(2)), lanes, execute);
  printFailures(endings);
  const totals = [...outcomes.values()];
  const passed = totals.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = totals.reduce((sum, outcome) => sum + outcome.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = [...endings.values()].every(({ kind }) => kind === 'succeeded') ? 0 : 1;
} catch (error) {
  console.error(`pinfold: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await rm(temporary, { recursive: true, force: true });
}
