// `npm test`: every check and every suite, each reported, none stopping the others. Two lanes, for two cores.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}
interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

const root = join(import.meta.dirname, '..');
const temporary = await mkdtemp(join(tmpdir(), 'pinfold-test-'));
const totals = join(temporary, 'totals.json');
const env = {
  ...process.env,
  NODE_OPTIONS: '--conditions=@pinfold/source',
  PATH: join(root, 'node_modules', '.bin') + delimiter + process.env.PATH,
  PINFOLD_TOTALS: totals,
};
const specs = [
  'scripts',
  'packages/*/test',
  'test-contracts/test',
  'test-contracts/proof',
  'examples/*/test',
];
const suites: Step = {
  name: 'suites',
  command: [
    'mocha',
    '--reporter=./scripts/totals-reporter.ts',
    '--ignore=**/node_modules/**',
    ...specs.map((folder) => `${folder}/**/*.spec.ts`),
  ],
};
const checks: readonly Step[] = [
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '--max-diagnostics=30', '.'] },
  { name: 'types and build', command: ['tsc', '-b'] },
  { name: 'core uses two globals only', command: ['node', 'scripts/check-core-globals.ts'] },
  { name: 'arrows between packages', command: ['node', 'scripts/check-arrows.ts'] },
  { name: "core's size", command: ['node', 'scripts/check-core-size.ts'] },
  { name: 'packed packages', command: ['node', 'scripts/check-packed.ts', temporary] },
  { name: 'install of the packed packages', command: ['node', 'scripts/check-installed.ts', temporary] },
];

const running = new Set<ChildProcess>();
let stopped = false;

function execute({ name, command: [file, ...args] }: Step): Promise<boolean> {
  const began = performance.now();
  const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve) => {
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      running.delete(child);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(`\n${code === 0 ? 'ok' : 'FAILED'}: ${name} (${seconds} s)`);
      if (code !== 0 || name === suites.name) {
        console.log(Buffer.concat(output).toString().trimEnd());
      }
      resolve(code === 0);
    });
  });
}

async function runChecks(): Promise<Outcome> {
  let passed = 0;
  for (const check of checks) {
    passed += !stopped && (await execute(check)) ? 1 : 0;
  }
  return { passed, failed: checks.length - passed };
}

/** A run that broke, or whose totals are missing, is one failure at least. */
async function runSuites(): Promise<Outcome> {
  const succeeded = await execute(suites);
  const counted: Outcome = await readFile(totals, 'utf8').then(JSON.parse, () => ({ passed: 0, failed: 1 }));
  return succeeded || counted.failed > 0 ? counted : { ...counted, failed: 1 };
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
  const outcomes = await Promise.all([runSuites(), runChecks()]);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await rm(temporary, { recursive: true, force: true });
}
