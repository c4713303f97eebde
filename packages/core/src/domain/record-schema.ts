/** How a value stands in a line of an export: both ways keep the order of members, and refuse what is not as it says. */
export interface Form<Value> {
  /** The value for JSON, its members in order. */
  write(value: Value): unknown;
  /** @throws TypeError unless the value of JSON has the form. */
  read(json: unknown): Value;
}

function refuse(expected: string): never {
  throw new TypeError(`${expected} was expected`);
}

/** A text that a pattern matches. */
export function text<Value extends string>(pattern: RegExp, expected: string): Form<Value> {
  return {
    write: (value) => value,
    read: (json) => (typeof json === 'string' && pattern.test(json) ? (json as Value) : refuse(expected)),
  };
}

/** A text that a parser of the domain returns unchanged. */
export function parsedText<Value extends string>(
  parse: (text: string) => unknown,
  expected: string,
): Form<Value> {
  return {
    write: (value) => value,
    read: (json) => (typeof json === 'string' && parse(json) === json ? (json as Value) : refuse(expected)),
  };
}

/** A whole number from 0. */
export function count<Value extends number>(): Form<Value> {
  return {
    write: (value) => value,
    read: (json) =>
      Number.isSafeInteger(json) && (json as number) >= 0 ? (json as Value) : refuse('a whole number from 0'),
  };
}

export const flag: Form<boolean> = {
  write: (value) => value,
  read: (json) => (typeof json === 'boolean' ? json : refuse('true or false')),
};

export function oneOf<Value extends string>(...values: readonly Value[]): Form<Value> {
  return {
    write: (value) => value,
    read: (json) => values.find((value) => value === json) ?? refuse(`one of ${values.join(', ')}`),
  };
}

export function nullable<Value>(form: Form<Value>): Form<Value | null> {
  return {
    write: (value) => (value === null ? null : form.write(value)),
    read: (json) => (json === null ? null : form.read(json)),
  };
}

export function list<Item>(form: Form<Item>): Form<readonly Item[]> {
  return {
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
    name: member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    form: forms[member],
  }));
  const names = members.map(({ name }) => name);
  return {
    write: (value) =>
      Object.fromEntries(
        members
          .filter(({ member }) => value[member] !== undefined)
          .map(({ member, name, form }) => [name, form.write(value[member])]),
      ),
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
    throw new TypeError(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
