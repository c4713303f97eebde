import { snakeCase } from './text.ts';

/** The type of a column: whole numbers and flags as the database has them, lists and other objects as JSON. */
export type StoredAs = 'text' | 'integer' | 'flag' | 'list' | 'object';

/** How a value stands in a line of an export: both ways keep the order of members, and refuse what is not as it says. */
export interface Form<Value> {
  readonly storedAs: StoredAs;
  /** The value for JSON, its members in order. */
  write(value: Value): unknown;
  /** @throws TypeError unless the value of JSON has the form. */
  read(json: unknown): Value;
}

function refuse(expected: string): never {
  throw new TypeError(`${expected} was expected`);
}

function checked<Value>(
  storedAs: StoredAs,
  isValid: (json: unknown) => boolean,
  expected: string,
): Form<Value> {
  return {
    storedAs,
    write: (value) => value,
    read: (json) => (isValid(json) ? (json as Value) : refuse(expected)),
  };
}

export function text<Value extends string>(pattern: RegExp, expected: string): Form<Value> {
  return checked('text', (json) => typeof json === 'string' && pattern.test(json), expected);
}

/** A text that a parser of the domain returns unchanged. */
export function parsedText<Value extends string>(
  parse: (text: string) => unknown,
  expected: string,
): Form<Value> {
  return checked('text', (json) => typeof json === 'string' && parse(json) === json, expected);
}

/** A whole number from 0. */
export function count<Value extends number>(): Form<Value> {
  const isCount = (json: unknown): boolean => Number.isSafeInteger(json) && (json as number) >= 0;
  return checked('integer', isCount, 'a whole number from 0');
}

export const flag: Form<boolean> = checked('flag', (json) => typeof json === 'boolean', 'true or false');

export function oneOf<Value extends string>(...values: readonly Value[]): Form<Value> {
  return checked('text', (json) => values.includes(json as Value), `one of ${values.join(', ')}`);
}

export function nullable<Value>(form: Form<Value>): Form<Value | null> {
  return {
    storedAs: form.storedAs,
    write: (value) => (value === null ? null : form.write(value)),
    read: (json) => (json === null ? null : form.read(json)),
  };
}

export function list<Item>(form: Form<Item>): Form<readonly Item[]> {
  return {
    storedAs: 'list',
    write: (value) => value.map((item) => form.write(item)),
    read: (json) => (Array.isArray(json) ? json.map((item) => form.read(item)) : refuse('a list')),
  };
}

/** The forms of all members of a record, in the order in which they are written. */
export type Forms<Value> = { readonly [Member in keyof Value]-?: Form<Value[Member]> };

/** An object of exactly these members, in words with underscores; those of `optional` may be left out. */
export function object<Value extends object>(
  forms: Forms<Value>,
  optional: readonly (keyof Value & string)[] = [],
): Form<Value> {
  const members = (Object.keys(forms) as (keyof Value & string)[]).map((member) => ({
    member,
    name: snakeCase(member),
    form: forms[member],
  }));
  const names = members.map(({ name }) => name);
  return {
    storedAs: 'object',
    // A member that is undefined is left out of JSON.
    write: (value) =>
      Object.fromEntries(members.map(({ member, name, form }) => [name, form.write(value[member])])),
    read: (json) => {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) return refuse('an object');
      const given = new Map(Object.entries(json));
      if ([...given.keys()].some((name) => !names.includes(name))) refuse(`nothing but ${names.join(', ')}`);
      return Object.fromEntries(
        members
          .filter(({ member, name }) => given.has(name) || !optional.includes(member))
          .map(({ member, name, form }) => [member, readMember(form, name, given.get(name))]),
      ) as Value;
    },
  };
}

function readMember<Value>(form: Form<Value>, name: string, json: unknown): Value {
  try {
    return form.read(json);
  } catch (error) {
    throw new TypeError(`${name}: ${(error as Error).message}`);
  }
}
