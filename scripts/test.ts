// `npm test`: every check and every suite, each reported as it ends, none stopping the others; a lane for each core.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suites } from './suites.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Where mocha's totals are to be found; a step without them counts as one check. */
  readonly totals?: string;
}
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const root = join(import.meta.dirname, '..');
const temporary = await mkdtemp(join(tmpdir(), 'pinfold-test-'));
const env = {
  ...process.env,
  NODE_OPTIONS: '--conditions=@pinfold/source',
  PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH,
};
const specs: readonly Step[] = suites().map(({ name, files }, index) => ({
  name,
  command: ['mocha', '--reporter=./scripts/totals-reporter.ts', ...files],
  totals: join(temporary, `totals-${index}.json`),
}));
const checks: readonly Step[] = [
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '--max-diagnostics=30', '.'] },
  { name: 'types and build', command: ['tsc', '-b'] },
  { name: 'core uses two globals only', command: ['node', 'scripts/check-core-globals.ts'] },
  { name: 'arrows between packages', command: ['node', 'scripts/check-arrows.ts'] },
  { name: "core's size", command: ['node', 'scripts/check-core-size.ts'] },
  { name: 'packed packages', command: ['node', 'scripts/check-packed.ts', temporary] },
  { name: 'install of the packed packages', command: ['node', 'scripts/check-installed.ts', temporary] },
];

/** What may run beside one another; the checks build on what those before them built. */
const queue: (readonly Step[])[] = [checks, ...specs.map((step) => [step])];
const lanes = Math.min(4, Math.max(2, availableParallelism()));

const running = new Set<ChildProcess>();
let stopped = false;

async function execute(step: Step): Promise<Outcome> {
  if (stopped) return { passed: 0, failed: 1 };
  const began = performance.now();
  const { succeeded, output } = await outputOf(step);
  const outcome = await outcomeOf(step, succeeded);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  const count = step.totals === undefined ? '' : `${outcome.passed} passed, ${outcome.failed} failed, `;
  console.log(`${succeeded ? 'ok' : 'FAILED'}: ${step.name} (${count}${seconds} s)`);
  if (!succeeded) console.log(`${output.trimEnd()}\n`);
  return outcome;
}

function outputOf({
  command: [file, ...args],
  totals,
}: Step): Promise<{ succeeded: boolean; output: string }> {
  const variables = totals === undefined ? env : { ...env, PINFOLD_TOTALS: totals };
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

/** A suite that broke, or whose totals are missing, is one failure at least. */
async function outcomeOf({ totals }: Step, succeeded: boolean): Promise<Outcome> {
  if (totals === undefined) return { passed: Number(succeeded), failed: Number(!succeeded) };
  const counted: Outcome = await readFile(totals, 'utf8').then(JSON.parse, () => ({ passed: 0, failed: 1 }));
  return succeeded || counted.failed > 0 ? counted : { ...counted, failed: 1 };
}

/** Takes one after the other from the queue. */
async function runLane(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let steps = queue.shift(); steps !== undefined; steps = queue.shift()) {
    for (const step of steps) outcomes.push(await execute(step));
  }
  return outcomes;
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
  const outcomes = (await Promise.all(Array.from({ length: lanes }, runLane))).flat();
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(temporary, { recursive: true, force: true });
}
