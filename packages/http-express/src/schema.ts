import type { Limits } from '@pinfold/core';

export type JsonObject = Readonly<Record<string, unknown>>;

declare const VALUE: unique symbol;

/** A JSON schema of a `Value`, the source of its type, its check and its part of the API document. */
export interface Schema<Value> extends JsonObject {
  readonly [VALUE]?: Value;
}

export interface Optional<Value> {
  readonly optional: Schema<Value>;
}

export type ValueOf<S> =
  S extends Optional<infer Value> ? Value : S extends Schema<infer Value> ? Value : never;

type Members = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;
type OptionalName<M> = { [Name in keyof M]: M[Name] extends Optional<unknown> ? Name : never }[keyof M];

export type ObjectOf<M> = { readonly [Name in Exclude<keyof M, OptionalName<M>>]: ValueOf<M[Name]> } & {
  readonly [Name in OptionalName<M>]?: ValueOf<M[Name]>;
};

export const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

type Primitive<Value> = (keywords?: JsonObject) => Schema<Value>;

export const string: Primitive<string> = (keywords) => ({ type: 'string', ...keywords });
export const boolean: Primitive<boolean> = (keywords) => ({ type: 'boolean', ...keywords });
export const number: Primitive<number> = (keywords) => ({ type: 'number', ...keywords });
export const integer: Primitive<number> = (keywords) => ({ type: 'integer', ...keywords });

export function oneOf<const Value extends string>(
  values: readonly Value[],
  keywords: JsonObject = {},
): Schema<Value> {
  return { enum: values, ...keywords };
}

export function constant<const Value>(value: Value, keywords: JsonObject = {}): Schema<Value> {
  return { const: value, ...keywords };
}

export function count(description: string): Schema<number> {
  return integer({ minimum: 0, description });
}

export function uuid(description?: string): Schema<string> {
  return string({ pattern: UUID, ...(description === undefined ? {} : { description }) });
}

export function instant(): Schema<string> {
  const pattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$';
  return string({ pattern, description: 'RFC 3339, UTC, milliseconds.' });
}

export function array<Item>(items: Schema<Item>, keywords: JsonObject = {}): Schema<readonly Item[]> {
  return { type: 'array', items, ...keywords };
}

/** Allows null: in `type` for strings and integers, else by `oneOf`. */
export function nullable<Value>(schema: Schema<Value>, keywords: JsonObject = {}): Schema<Value | null> {
  const { type } = schema;
  return type === 'string' || type === 'integer'
    ? { ...schema, type: [type, 'null'], ...keywords }
    : { oneOf: [...((schema.oneOf as readonly unknown[]) ?? [schema]), { type: 'null' }], ...keywords };
}

export function either<A, B>(a: Schema<A>, b: Schema<B>, keywords: JsonObject = {}): Schema<A | B> {
  return { oneOf: [a, b], ...keywords };
}

export function nullOnly(description: string): Schema<null> {
  return { type: 'null', description };
}

export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  return { optional: schema };
}

/** An object that requires every member that is not {@link optional}. */
export function object<M extends Members>(members: M, keywords: JsonObject = {}): Schema<ObjectOf<M>> {
  const required = Object.keys(members).filter((name) => !('optional' in (members[name] ?? {})));
  const properties = Object.entries(members).map(([name, member]) => [
    name,
    'optional' in member ? member.optional : member,
  ]);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
    ...keywords,
  };
}

/** An object of a request, without other members. */
export function closedObject<M extends Members>(members: M, keywords: JsonObject = {}): Schema<ObjectOf<M>> {
  return object(members, { additionalProperties: false, ...keywords });
}

const DESCRIBE: unique symbol = Symbol('describe');

type Describe = (limits: Limits) => JsonObject;

/** A schema that the API document contains once, by name. It may depend on the limits in force. */
export function named<Value>(name: string, describe: (limits: Limits) => Schema<Value>): Schema<Value> {
  return { $ref: `#/components/schemas/${name}`, [DESCRIBE]: describe } as JsonObject;
}

/** All named schemas to which a document refers, directly or indirectly. */
export function namedSchemasIn(
  value: unknown,
  limits: Limits,
  found: Record<string, JsonObject> = {},
): JsonObject {
  if (typeof value !== 'object' || value === null) return found;
  const { $ref, [DESCRIBE]: describe } = value as { readonly $ref?: string; readonly [DESCRIBE]?: Describe };
  const name = $ref?.split('/').at(-1) ?? '';
  if (describe !== undefined && found[name] === undefined) {
    const schema = describe(limits);
    found[name] = schema;
    namedSchemasIn(schema, limits, found);
  }
  for (const member of Object.values(value)) namedSchemasIn(member, limits, found);
  return found;
}
