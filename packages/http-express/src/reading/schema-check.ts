import type { Ajv } from 'ajv';

let loaded: Ajv | undefined;

/** A load that fails is tried again with the next request. */
async function ajv(): Promise<Ajv> {
  const { Ajv } = await import('ajv');
  loaded ??= new Ajv({ allowUnionTypes: true });
  return loaded;
}

/** Answers with a value that is as a JSON Schema says; `undefined` for any other. */
export type Check<Value> = (value: unknown) => Promise<Value | undefined>;

/** Makes a check of a JSON Schema. What it needs is loaded and compiled then: no start has to wait for that. */
export function checkOf<Value>(schema: object): Check<Value> {
  let compiled: ((value: unknown) => value is Value) | undefined;
  return async (value) => {
    compiled ??= (await ajv()).compile<Value>(schema);
    return compiled(value) ? value : undefined;
  };
}
