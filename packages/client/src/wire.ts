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

/** A publication, as the API answers it. */
export type Pin = Wire<'Pin'>;
/** A problem of a site that is allowed, but disappoints viewers. A later server may have more rules. */
export type Warning = Wire<'Warning'>;
/** One error of a request or an archive. */
export type RuleError = Wire<'RuleError'>;
/** The answer of `GET` and `PATCH` of a publication. */
export type PinAnswer = Wire<'PinAnswer'>;
/** A URL that opens a protected site without its password. */
export type Grant = Wire<'Grant'>;
/** The answer of a new grant. */
export type GrantAnswer = Wire<'GrantAnswer'>;
/** Views of one day (UTC). */
export type DayOfViews = Wire<'DayOfViews'>;
/** The answer of `GET` of a publication; it has `views` if the request includes them. */
export type ViewedPinAnswer = Wire<'ViewedPinAnswer'>;
/** A link of the account that shows one of its publications. */
export type Name = Wire<'Name'>;
/** The answer of `GET` and `PUT` of a name. */
export type NameAnswer = Wire<'NameAnswer'>;
/** One page of names. */
export type NameList = Wire<'NameList'>;
/** The answer of a publication. */
export type Publication = Wire<'Publication'>;
/** The answer of a dry run. */
export type DryRun = Wire<'DryRun'>;
/** One page of a list. */
export type PinList = Wire<'PinList'>;
/** The actor of an event: a key by its id, a person or an operator by name, the system by its node. */
export type EventActor = Wire<'EventActor'>;
/** Something that happened to an account or a publication. A later server may have more types. */
export type Event = Wire<'Event'>;
/** One page of the feed of events. */
export type EventPage = Wire<'EventPage'>;
/** Limits of archives and texts. */
export type Limits = Wire<'Limits'>;
/** A rate in force. */
export type Rate = Wire<'Rate'>;
/** A quota in force. */
export type Quota = Wire<'Quota'>;
/** The answer of `GET /api/v1/limits`; null: unlimited. */
export type LimitsAnswer = Wire<'LimitsAnswer'>;

/** The one thing that an update changes. */
export type Change =
  | { readonly title: string | null }
  | { readonly password: string | null }
  | { readonly reset_expiration: true };

const JSON_TYPES: readonly string[] = ['string', 'number', 'boolean', 'null', 'undefined'];

/** Objects whose other members an answer may lack: an older server has fewer. */
const NEEDED: Partial<Record<string, readonly string[]>> = {
  Pin: ['id', 'shared_url'],
  Name: ['name', 'url', 'pin'],
  Event: ['id', 'at', 'type', 'actor'],
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
