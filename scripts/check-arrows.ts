// Finds imports that the arrows between packages do not allow. It also plants violations and expects to find them: with
// TypeScript 7 alone, dependency-cruiser reads no .ts file and reports no violation.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

const root = join(import.meta.dirname, '..');

function violations(base: string, folders: readonly string[]): readonly string[] {
  const { stdout, stderr } = spawnSync(
    'depcruise',
    ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...folders],
    { cwd: base, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (!stdout) {
    throw new Error(`dependency-cruiser printed nothing: ${stderr}`);
  }
  const found: readonly Violation[] = JSON.parse(stdout).summary.violations;
  return found.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`);
}

/** The smallest workspace that breaks each kind of arrow once. */
function plant(base: string): void {
  const sources = {
    core: "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n",
    'storage-fs': 'export const here = 1;\n',
    memory:
      "import type { Stats } from 'node:fs';\nexport { here } from '@pinfold/storage-fs';\nexport type { Stats };\n",
  };
  for (const [name, source] of Object.entries(sources)) {
    const folder = join(base, 'packages', name);
    mkdirSync(join(folder, 'src'), { recursive: true });
    mkdirSync(join(folder, 'node_modules', '@pinfold'), { recursive: true });
    cpSync(join(root, 'packages', name, 'package.json'), join(folder, 'package.json'));
    writeFileSync(join(folder, 'src', 'index.ts'), source);
  }
  const neighbour = join(base, 'packages', 'memory', 'node_modules', '@pinfold', 'storage-fs');
  symlinkSync(join(base, 'packages', 'storage-fs'), neighbour, 'dir');
}

const planted = mkdtempSync(join(tmpdir(), 'pinfold-arrows-'));
try {
  plant(planted);
  const seen = violations(planted, ['packages']);
  for (const wanted of [
    'core-imports-nothing: packages/core/src/index.ts -> fs',
    'adapters-import-core-only: packages/memory/src/index.ts -> packages/storage-fs/src/index.ts',
  ]) {
    if (!seen.includes(wanted)) {
      console.error(`The check is blind: it did not see the planted "${wanted}", only:\n${seen.join('\n')}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(planted, { recursive: true });
}
const real = violations(root, ['packages', 'test-contracts', 'acceptance', 'examples']);
if (real.length > 0) {
  console.error(real.join('\n'));
  process.exitCode = 1;
}
