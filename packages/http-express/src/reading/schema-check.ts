import { createHash } from 'node:crypto';

/** Returns the value if it is valid by a JSON Schema, else `undefined`. */
export type Check<Value> = (value: unknown) => Promise<Value | undefined>;

const schemas: Map<string, object> = new Map();

/** Loaded once, with the first check, for a faster start. */
let compiled: typeof import('./compiled-checks.ts') | undefined;

/**
 * Creates a check by a JSON Schema. Ajv has compiled it at build time, so that the API also works without code generation
 * (workerd, `node --disallow-code-generation-from-strings`).
 */
export function checkOf<Value>(schema: object): Check<Value> {
  const name = nameOf(schema);
  schemas.set(name, schema);
  return async (value) => {
    compiled ??= await import('./compiled-checks.ts');
    const isValid = compiled.compiledChecks[name];
    if (isValid === undefined) throw new Error(`compile the checks: no check is called ${name}`);
    return isValid(value) ? (value as Value) : undefined;
  };
}

/** The schemas of all checks, by the name of the compiled check. */
export function checkedSchemas(): ReadonlyMap<string, object> {
  return schemas;
}

function nameOf(schema: object): string {
  return `check_${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16)}`;
}
