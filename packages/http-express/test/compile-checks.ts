// src/reading/compiled-checks.ts: the schemas of requests, compiled by Ajv. `pnpm --filter @pinfold/http-express checks`
// writes it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
// Loads every endpoint, and with them their schemas.
import '../src/index.ts';
import { checkedSchemas } from '../src/reading/schema-check.ts';

export const CHECKS_FILE = join(import.meta.dirname, '../src/reading/compiled-checks.ts');

const HEAD = `// biome-ignore-all lint: made by Ajv, see test/compile-checks.ts
// biome-ignore-all format: made by Ajv
// @ts-nocheck
`;

/** The parts of Ajv that its generated code requires, in the form of CommonJS. */
const REQUIRED = /const (\w+) = require\("(ajv\/dist\/runtime\/\w+)"\)\.default;/g;

/** The module with a check for each schema, by its name. */
export function compiledChecks(): string {
  const ajv = new Ajv({ allowUnionTypes: true, messages: false, code: { source: true, esm: true } });
  const names = [...checkedSchemas().keys()].sort();
  for (const name of names) ajv.addSchema(checkedSchemas().get(name) ?? {}, name);
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const imports = [...code.matchAll(REQUIRED)].map(
    ([, name, module]) =>
      `import ${name}Module from '${module}.js';\n\nconst ${name} = ${name}Module.default;\n`,
  );
  const checks = code
    .replace('"use strict";', '')
    .replaceAll(REQUIRED, '')
    .replaceAll('export const', 'const');
  const list = `export const compiledChecks: Readonly<Record<string, (value: unknown) => boolean>> = {${names.join(', ')}};`;
  return `${HEAD}${imports.join('')}${checks}\n${list}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(CHECKS_FILE, compiledChecks());
