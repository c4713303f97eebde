import { snakeCase } from './text.ts';

/** Writes a value to JSON and reads it back, with its members in a fixed order. */
export interface RecordCodec<Value> {
  /** The value for JSON, its members in order. */
  write(value: Value): unknown;
  /** @throws TypeError unless the JSON value is valid. */
  read(json: unknown): Value;
}

function refuse(expected: string): never {
  throw new TypeError(`${expected} was expected`);
}

function checked<Value>(isValid: (json: unknown) => boolean, expected: string): RecordCodec<Value> {
  return {
    write: (value) => value,
    read: (json) => (isValid(json) ? (json as Value) : refuse(expected)),
  };
}

export function text<Value extends string>(pattern: RegExp, expected: string): RecordCodec<Value> {
  return checked((json) => typeof json === 'string' && pattern.test(json), expected);
}

/** A text that a parser of the domain returns unchanged. */
export function parsedText<Value extends string>(
  parse: (text: string) => unknown,
  expected: string,
): RecordCodec<Value> {
  return checked((json) => typeof json === 'string' && parse(json) === json, expected);
}

/** A whole number from 0 to `maximum`. */
export function count<Value extends number>(maximum: number = Number.MAX_SAFE_INTEGER): RecordCodec<Value> {
  const isCount = (json: unknown): boolean =>
    Number.isSafeInteger(json) && (json as number) >= 0 && (json as number) <= maximum;
  return checked(isCount, `a whole number from 0 to ${maximum}`);
}

export const flag: RecordCodec<boolean> = checked((json) => typeof json === 'boolean', 'true or false');

export function oneOf<Value extends string>(...values: readonly Value[]): RecordCodec<Value> {
  return checked((json) => values.includes(json as Value), `one of ${values.join(', ')}`);
}

export function nullable<Value>(codec: RecordCodec<Value>): RecordCodec<Value | null> {
  return {
    write: (value) => (value === null ? null : codec.write(value)),
    read: (json) => (json === null ? null : codec.read(json)),
  };
}

export function list<Item>(codec: RecordCodec<Item>): RecordCodec<readonly Item[]> {
  return {
    write: (value) => value.map((item) => codec.write(item)),
    read: (json) => (Array.isArray(json) ? json.map((item) => codec.read(item)) : refuse('a list')),
  };
}

/** The codecs of all members of a record, in the order in which they are written. */
export type MemberCodecs<Value> = { readonly [Member in keyof Value]-?: RecordCodec<Value[Member]> };

/** An object of exactly these members, in snake case; those of `optional` may be absent. */
export function object<Value extends object>(
  codecs: MemberCodecs<Value>,
  optional: readonly (keyof Value & string)[] = [],
): RecordCodec<Value> {
  const members = (Object.keys(codecs) as (keyof Value & string)[]).map((member) => ({
    member,
    name: snakeCase(member),
    codec: codecs[member],
  }));
  const names = members.map(({ name }) => name);
  return {
    // A member that is undefined is left out of JSON.
    write: (value) =>
      Object.fromEntries(members.map(({ member, name, codec }) => [name, codec.write(value[member])])),
    read: (json) => {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return refuse('an object');
      const found = new Map(Object.entries(json));
      if ([...found.keys()].some((name) => !names.includes(name))) refuse(`nothing but ${names.join(', ')}`);
      return Object.fromEntries(
        members
          .filter(({ member, name }) => found.has(name) || !optional.includes(member))
          .map(({ member, name, codec }) => [member, readMember(codec, name, found.get(name))]),
      ) as Value;
    },
  };
}

function readMember<Value>(codec: RecordCodec<Value>, name: string, json: unknown): Value {
  try {
    return codec.read(json);
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`);
  }
}
