// Without it packages were published whose exports named files that were not in them, whose types did not resolve,
// or which still led to the sources. `node scripts/check-packed.ts [FOLDER with tarballs]`
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Package } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packed } from './pack.ts';

/** How our packages are never imported: they are modules, and name their files in `exports`. */
const NEVER: readonly string[] = ['node10', 'node16-cjs'];

const [given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), 'pinfold-packed-'));

for (const tarball of packed(folder)) {
  const bytes = new Uint8Array(readFileSync(tarball));
  const content = createPackageFromTarballData(bytes);
  const faults = [...(await faultsOfManifest(bytes)), ...(await faultsOfTypes(content)), ...lacksOf(content)];
  for (const fault of faults) {
    console.error(`${content.packageName}: ${fault}`);
    process.exitCode = 1;
  }
}
if (!given) {
  rmSync(folder, { recursive: true });
}

/** What publint finds. */
async function faultsOfManifest({ buffer }: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ strict: true, level: 'warning', pack: { tarball: buffer } });
  return messages.map((message) => formatMessage(message, pkg) ?? message.code);
}

/** The types that do not resolve, or do not fit what is imported. */
async function faultsOfTypes(content: Package): Promise<readonly string[]> {
  const checked = await checkPackage(content);
  if (checked.types === false) return ['it has no types'];
  const problems = checked.problems.filter(
    (problem) => !('resolutionKind' in problem && NEVER.includes(problem.resolutionKind)),
  );
  return problems.map((problem) => JSON.stringify(problem));
}

/** What is missing, or leads nowhere. */
function lacksOf(content: Package): readonly string[] {
  const place = `/node_modules/${content.packageName}/`;
  const { exports, ...published } = JSON.parse(content.readFile(`${place}package.json`)) as Readonly<
    Record<string, unknown>
  >;
  const named = JSON.stringify(exports);
  const members = ['description', 'keywords', 'license', 'engines'].filter((member) => !published[member]);
  // Editors need these to lead to the sources rather than to declarations.
  const entries = [...named.matchAll(/"\.\/dist\/([^"]+)\.d\.ts"/g)].map(([, entry]) => entry);
  const sources = entries.flatMap((entry) => [`dist/${entry}.d.ts.map`, `src/${entry}.ts`]);
  const missing = ['README.md', 'CHANGELOG.md', 'LICENSE', ...sources].filter(
    (file) => !content.fileExists(place + file),
  );
  const dead = content.tryReadFile(`${place}README.md`)?.match(/\]\(\.\.?\/[^)]*\)/g) ?? [];
  const lacks = [...members, ...missing, ...dead].map((lack) => `${lack} is missing, or leads nowhere`);
  return named.includes('@pinfold/source')
    ? ['the published exports still lead to the sources', ...lacks]
    : lacks;
}
