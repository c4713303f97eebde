// Without it the core could use what only one runtime has, for its compile needs the DOM library for AbortSignal
// and so would accept `fetch`, `setTimeout` or `document`. Sources and emitted declarations are compiled once more
// with the language's own library only: what is then missing must be exactly the two globals it may use.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const allowed = ['AbortController', 'AbortSignal'];

function diagnostics(files: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'pinfold-globals-'));
  const project = {
    extends: join(root, 'tsconfig.test.base.json'),
    compilerOptions: { incremental: false, lib: ['es2024'], types: [], skipLibCheck: false },
    include: [join(root, 'packages', 'core', files)],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const { stdout } = spawnSync('tsc', ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

const found = [...diagnostics('src/**/*.ts'), ...diagnostics('dist/**/*.d.ts')];
const missing = new Set<string>();
const others: string[] = [];
for (const line of found) {
  const name = /error TS(?:2304|2552|2583|2584|2591): Cannot find name '(\w+)'/.exec(line)?.[1];
  if (name && allowed.includes(name)) {
    missing.add(name);
  } else {
    others.push(line);
  }
}
if (others.length > 0) {
  console.error(`The core may use no global but ${allowed.join(' and ')}:\n${others.join('\n')}`);
  process.exitCode = 1;
}
if (!missing.has('AbortSignal')) {
  console.error('The check is blind: the ports name AbortSignal, yet the compiler did not miss it.');
  process.exitCode = 1;
}
