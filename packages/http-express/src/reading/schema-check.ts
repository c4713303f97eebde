import type { Ajv } from 'ajv';

let loaded: Ajv | undefined;

/** A load that fails is tried again with the next request. */
async function ajv(): Promise<Ajv> {
  const { Ajv } = await import('ajv');
  loaded ??= new Ajv({ allowUnionTypes: true });
  return loaded;
}

/** Returns a value that is valid by a JSON Schema, and `undefined` for any other. */
export type Check<Value> = (value: unknown) => Promise<Value | undefined>;

/** Makes a check by a JSON Schema. The first call loads the validator and compiles the schema, to keep the start short. */
export function checkOf<Value>(schema: object): Check<Value> {
  let compiled: ((value: unknown) => value is Value) | undefined;
  return async (value) => {
    compiled ??= (await ajv()).compile<Value>(schema);
    return compiled(value) ? value : undefined;
  };
}
