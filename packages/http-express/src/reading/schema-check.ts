import { createHash } from 'node:crypto';

/** Returns a value that is valid by a JSON Schema, and `undefined` for any other. */
export type Check<Value> = (value: unknown) => Promise<Value | undefined>;

const schemas: Map<string, object> = new Map();

/** Loaded with the first check, to keep the start short; to import it each time costs more than a check. */
let compiled: typeof import('./compiled-checks.ts') | undefined;

/**
 * Makes a check by a JSON Schema. Ajv has compiled it before: where code is not made at run time (workerd, `node
 * --disallow-code-generation-from-strings`) the API works as well.
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

/** Every schema that a check was made of, by the name of its compiled check. */
export function checkedSchemas(): ReadonlyMap<string, object> {
  return schemas;
}

function nameOf(schema: object): string {
  return `check_${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16)}`;
}
