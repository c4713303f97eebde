// Splits the specs into suites: several run at the same time, each in its own process, and each reports when it ends.
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Specs that one process runs, one after the other. */
export interface Suite {
  readonly name: string;
  readonly files: readonly string[];
  /** Whether its specs read the compiled packages. */
  readonly compiled: boolean;
  /** Suites that must pass first: this one would only repeat their failures. */
  readonly derivesFrom: readonly string[];
}

const root = join(import.meta.dirname, '..');
const SPECS = [
  'scripts',
  'packages/*/test',
  'test-contracts/test',
  'test-contracts/proof',
  'acceptance',
  'examples/*/test',
];

/** Quick suites whose failures name their cause come first. */
const QUICK: Readonly<Record<string, readonly string[]>> = {
  'use cases': ['packages/core/test/use-cases/**/*.spec.ts'],
  core: ['packages/core/test/**/!(sqlite|postgres).spec.ts'],
};
/** The longest, which often wait for processes and browsers, while suites of the next kinds compute. */
const LONG: Readonly<Record<string, readonly string[]>> = {
  'server: commands': ['packages/pinfold/test/{ci,command-line,commands}/**/*.spec.ts'],
  'crashes and faults': ['acceptance/{crashes,faults,feed,power-cuts,three-nodes}/**/*.spec.ts'],
  browsers: ['acceptance/{browser,management}/**/*.spec.ts', 'packages/management/test/browser/**/*.spec.ts'],
};
/** The failures of these, too, name their cause. */
const NAMING: Readonly<Record<string, readonly string[]>> = {
  doors: ['packages/{http,http-express,viewer}/test/**/*.spec.ts', 'packages/management/test/*.spec.ts'],
  'adapters: databases': [
    'packages/persistence-*/test/**/*.spec.ts',
    'packages/core/test/stores/rules/{sqlite,postgres}.spec.ts',
    'test-contracts/test/memory/**/*.spec.ts',
  ],
  'adapters: others': ['packages/{archive-zip,platform-node,storage-*}/test/**/*.spec.ts'],
};
const THOROUGH: Readonly<Record<string, readonly string[]>> = {
  'server: processes': ['packages/pinfold/test/{compose,health,metrics,server,start}/**/*.spec.ts'],
  'server: moving and settings': ['packages/pinfold/test/**/*.spec.ts'],
};
/** The shortest come last. */
const DERIVED: Readonly<Record<string, readonly string[]>> = {
  mutants: ['test-contracts/proof/mutants.spec.ts'],
  'every combination': ['test-contracts/proof/combinations.spec.ts'],
};
const OTHERS = 'everything else';

/** Every spec of the workspace, each in one suite; the suites in the order in which they start. */
export function suites(): readonly Suite[] {
  const remaining = new Set(found(SPECS.map((folder) => `${folder}/**/*.spec.ts`)));
  const suitesOf = (
    named: Readonly<Record<string, readonly string[]>>,
    derivesFrom: readonly string[] = [],
  ): readonly Suite[] =>
    Object.entries(named).map(([name, patterns]) => {
      const files = found(patterns).filter((file) => remaining.delete(file));
      if (files.length === 0) throw new Error(`no spec is one of ${name}`);
      return { name, files, compiled: false, derivesFrom };
    });
  const first = [...suitesOf(QUICK), ...suitesOf(LONG), ...suitesOf(NAMING)];
  const derived = Object.keys({ ...QUICK, ...NAMING });
  const last = [...suitesOf(THOROUGH), ...suitesOf(DERIVED, derived)];
  return [...first, { name: OTHERS, files: [...remaining], compiled: true, derivesFrom: [] }, ...last];
}

function found(patterns: readonly string[]): readonly string[] {
  const exclude = (name: string): boolean => /(?:^|[\\/])node_modules(?:[\\/]|$)/.test(name);
  return globSync([...patterns], { cwd: root, exclude }).sort();
}
