import { OBJECTS } from './wire-table.ts';

/** A page of the feed; further events may follow later. */
type Feed = Omit<typeof OBJECTS.EventList, 'next_cursor'> & { readonly next_cursor: 'string' };

/**
 * The objects of the API. A member is a JSON type, another object by its name, a list (`Warning[]`), or one of several;
 * any other word is one of the texts that it may have. The types of the client and its checks come from this table.
 */
const WIRE: typeof OBJECTS & { readonly EventPage: Feed } = {
  ...OBJECTS,
  EventPage: { ...OBJECTS.EventList, next_cursor: 'string' },
};

type Objects = typeof WIRE;

interface JsonTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
  readonly undefined: undefined;
}

type Read<Type> = Type extends `${infer One} | ${infer Others}`
  ? Read<One> | Read<Others>
  : Type extends `${infer Item}[]`
    ? readonly Read<Item>[]
    : Type extends keyof JsonTypes
      ? JsonTypes[Type]
      : Type extends keyof Objects
        ? Wire<Type>
        : Type;

type OptionalIn<Members> = {
  [Name in keyof Members]: Members[Name] extends `${string} | undefined` ? Name : never;
}[keyof Members];

/** An object of the API by its name in the table. */
export type Wire<Name extends keyof Objects> = {
  readonly [Member in Exclude<keyof Objects[Name], OptionalIn<Objects[Name]>>]: Read<Objects[Name][Member]>;
} & {
  readonly [Member in OptionalIn<Objects[Name]>]?: Exclude<Read<Objects[Name][Member]>, undefined>;
};

const JSON_TYPES: readonly string[] = ['string', 'number', 'boolean', 'null', 'undefined'];

/** Objects whose other members an answer may lack: an older server has fewer. What is needed tells it from a proxy's. */
const NEEDED: Partial<Record<string, readonly string[]>> = {
  Pin: ['id'],
  Name: ['name'],
  Event: ['id'],
  EventActor: [],
  DayOfViews: ['day'],
  ArchiveSize: [],
  LimitsAnswer: ['limits'],
  Limits: [],
  Rates: [],
  Rate: [],
  Quotas: [],
  Quota: [],
};

/**
 * Creates a check for an object of the API. It accepts unknown members, which a later server may send, but no wrong
 * types.
 */
export function is<Name extends keyof Objects>(name: Name): (value: unknown) => value is Wire<Name> {
  return (value): value is Wire<Name> => {
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(WIRE[name]).every(([member, type]) => {
      const found = (value as Readonly<Record<string, unknown>>)[member];
      return (found === undefined && NEEDED[name]?.includes(member) === false) || hasType(found, type);
    });
  };
}

function hasType(value: unknown, type: string): boolean {
  const own = value === null ? 'null' : typeof value;
  return type.split(' | ').some((one) => {
    if (one.endsWith('[]'))
      return Array.isArray(value) && value.every((item) => hasType(item, one.slice(0, -2)));
    if (Object.hasOwn(WIRE, one)) return is(one as keyof Objects)(value);
    // A later server may have more texts.
    return own === (JSON_TYPES.includes(one) ? one : 'string');
  });
}
