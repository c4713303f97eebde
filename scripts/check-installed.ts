// Without it packages that work in the workspace could fail for their users: a dependency missing from a manifest, a
// type that names a package they do not have. The tarballs are installed by npm into an empty project outside the
// workspace; there every entry point is imported and required, and acceptance/packed/*.ts and the example adapters
// are compiled and run, the embedded server also as a bundle.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { packageIn, packed } from './pack.ts';

const root = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'pinfold-installed-'));
const environment: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: '' };

function run(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    env: environment,
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
  console.log(stdout.trim());
}

/** npm, only for the installation. */
function install(dependencies: Record<string, string>, overrides: Record<string, string>): void {
  const manifest = { private: true, type: 'module', dependencies, overrides };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, undefined, 2));
  run(
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--fetch-retries=5',
    '--loglevel=error',
  );
}

/** One import for each subpath of each package's exports, and one `require`. */
function loadEveryEntry(names: readonly string[], file: string): void {
  const entries = names.flatMap((name) => {
    const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
    const subpaths = Object.keys(JSON.parse(manifest).exports).filter((path) => path !== './package.json');
    return subpaths.map((path) => name + path.slice(1));
  });
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const uses = entries.map((_, index) => `entry${index}`);
  writeFileSync(join(project, `${file}.ts`), [...imports, `export default [${uses}];`].join('\n'));
  const required = entries.map((entry) => `require('${entry}');`);
  writeFileSync(join(project, `${file}.cjs`), required.join('\n'));
}

/** Bundles a program as in docs/embedding/other-servers.md, and returns the file. */
async function bundle(program: string): Promise<string> {
  const page = readFileSync(join(root, 'docs', 'embedding', 'other-servers.md'), 'utf8');
  const external = [...page.matchAll(/--external:(\S+)/g)].map(([, name = '']) => name);
  const [, banner = ''] = /--banner:js="([^"]+)"/.exec(page) ?? [];
  const outfile = join(project, 'bundled.mjs');
  // The suites read their fixtures from files beside them; a server has none.
  external.push('@pinfold/test-contracts');
  await esbuild({
    absWorkingDir: project,
    entryPoints: [program],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external,
    banner: { js: banner },
    outfile,
  });
  return outfile;
}

function compile(): void {
  const tsconfig = {
    compilerOptions: {
      target: 'es2024',
      module: 'nodenext',
      types: ['node', 'mocha'],
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      skipLibCheck: false,
      noEmit: true,
    },
    include: ['*.ts', 'adapters/**/*.ts'],
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
  run('tsc', '-p', project);
}

try {
  const tarballs = packed(process.argv[2] ?? join(project, 'tarballs'));
  const ours = Object.fromEntries(tarballs.map((file) => [packageIn(file), `file:${file}`]));
  const tools = {
    '@types/chai': '^5',
    '@types/mocha': '^10',
    '@types/node': '^24',
    chai: '^6',
    express: '^5',
    mocha: '^12',
  };
  install({ ...ours, ...tools }, ours);
  cpSync(join(root, 'acceptance', 'packed'), project, { recursive: true });
  loadEveryEntry(Object.keys(ours), 'every-entry');
  for (const example of ['your-own-storage-adapter', 'your-own-database']) {
    for (const folder of ['src', 'test']) {
      const source = join(root, 'examples', example, folder);
      cpSync(source, join(project, 'adapters', example, folder), { recursive: true });
    }
  }
  compile();
  for (const script of readdirSync(project).filter((name) => name.endsWith('.ts'))) {
    run('node', script);
  }
  run('node', 'every-entry.cjs');
  rmSync(join(project, 'data'), { recursive: true });
  run('node', await bundle('embedding.ts'));
  run(
    'node_modules/.bin/mocha',
    '--forbid-pending',
    '--fail-zero',
    '--timeout=30000',
    // All else they have promised in the workspace.
    '--grep=harness|shows its site',
    'adapters/*/test/**/*.spec.ts',
  );
} finally {
  rmSync(project, { recursive: true, force: true });
}
