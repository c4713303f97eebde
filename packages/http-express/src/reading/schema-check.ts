import type { Ajv } from 'ajv';

let loading: Promise<Ajv> | undefined;

async function load(): Promise<Ajv> {
  const { Ajv } = await import('ajv');
  return new Ajv({ allowUnionTypes: true });
}

/** Answers with a value that is as a JSON Schema says; `undefined` for any other. */
export type Check<Value> = (value: unknown) => Promise<Value | undefined>;

/** Makes a check of a JSON Schema. What it needs is loaded and compiled then: no start has to wait for that. */
export function checkOf<Value>(schema: object): Check<Value> {
  let compiling: Promise<(value: unknown) => value is Value> | undefined;
  return async (value) => {
    loading ??= load();
    compiling ??= loading.then((ajv) => ajv.compile<Value>(schema));
    const check = await compiling;
    return check(value) ? value : undefined;
  };
}
