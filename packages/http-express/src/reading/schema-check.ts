import { Ajv, type ValidateFunction } from 'ajv';

let ajv: Ajv | undefined;

/** Makes a check of a JSON Schema. It is compiled when it is needed first: no start has to wait for that. */
export function checkOf<Value>(schema: object): (value: unknown) => value is Value {
  let check: ValidateFunction<Value> | undefined;
  return (value): value is Value => {
    ajv ??= new Ajv({ allowUnionTypes: true });
    check ??= ajv.compile<Value>(schema);
    return check(value);
  };
}
