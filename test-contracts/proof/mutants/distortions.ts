/** The kind of a field, by which it can be distorted. */
export type Kind =
  /** Texts of people, and names of accounts. */
  | 'text'
  /** Text without variants: of machines, or compared only as a whole. */
  | 'word'
  /** An identifier or token that the service generates. */
  | 'id'
  /** An identifier whose letter case does not matter. */
  | 'uuid'
  | 'hash'
  | 'instant'
  /** A number of things, or a limit. */
  | 'count'
  /** A number of bytes: it may have more than 32 bits. */
  | 'size'
  | 'flag'
  /** One of a few names. */
  | 'choice'
  /** An opaque value, passed on unread. */
  | 'opaque';

/**
 * The fields of a value: the kind of a simple value, the shape of a list's items, or the shapes of
 * a record's members. A union has the members of all its records.
 */
export type Shape = Kind | readonly [Shape] | { readonly [member: string]: Shape };

/** The shapes of all members of a record; a missing one does not compile. */
export type Fields<Row> = { readonly [Member in keyof Row]-?: Shape };

export type Distort = (value: never) => unknown;

const SECOND = 1_000;
const LATIN = 0xff;

const charactersOf = (text: string, change: (character: string) => string): string =>
  [...text].map(change).join('');

/** The ways to distort a value of each kind. An unchanged value is not a fault. */
const BY_KIND: Readonly<Record<Kind, Readonly<Record<string, Distort>>>> = {
  text: {
    trimmed: (text: string) => text.trim(),
    lowered: (text: string) => text.toLowerCase(),
    raised: (text: string) => text.toUpperCase(),
    composed: (text: string) => text.normalize('NFC'),
    cut: (text: string) => text.slice(0, 30),
    latin: (text: string) => charactersOf(text, (one) => ((one.codePointAt(0) ?? 0) > LATIN ? '?' : one)),
    numeric: (text: string) => (text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text),
    quoted: (text: string) => text.replaceAll("'", "''"),
    terminated: (text: string) => text.split('\0')[0],
  },
  word: {
    raised: (text: string) => text.toUpperCase(),
    cut: (text: string) => text.slice(0, -1),
  },
  id: {
    lowered: (id: string) => id.toLowerCase(),
    cut: (id: string) => id.slice(0, -1),
    ended: (id: string) => id.slice(-8),
  },
  uuid: {
    cut: (id: string) => id.slice(0, -1),
    ended: (id: string) => id.slice(-8),
  },
  hash: {
    raised: (hash: string) => hash.toUpperCase(),
    cut: (hash: string) => hash.slice(0, 16),
    nearly: (hash: string) => `${hash.slice(0, -1)}0`,
  },
  instant: {
    seconds: (instant: number) => instant - (instant % SECOND),
    wrapped: (instant: number) => instant | 0,
    later: (instant: number) => instant + 1,
    earlier: (instant: number) => instant - 1,
  },
  count: {
    more: (count: number) => count + 1,
    fewer: (count: number) => Math.max(0, count - 1),
    capped: (count: number) => Math.min(count, SECOND),
  },
  size: {
    wrapped: (size: number) => size | 0,
    more: (size: number) => size + 1,
    fewer: (size: number) => size - 1,
  },
  flag: { raised: () => true, lowered: () => false },
  choice: {},
  opaque: {},
};

const OF_LISTS: Readonly<Record<string, Distort>> = {
  first: (items: readonly unknown[]) => items.slice(0, 1),
  shortened: (items: readonly unknown[]) => items.slice(0, -1),
  reversed: (items: readonly unknown[]) => [...items].reverse(),
  emptied: () => [],
  capped: (items: readonly unknown[]) => items.slice(0, SECOND),
};

export interface Field {
  readonly path: readonly string[];
  readonly kind: Kind | 'list';
}

/** All fields of a shape. The items of a list have the path of the list. */
export function fieldsOf(shape: Shape, path: readonly string[] = []): readonly Field[] {
  if (typeof shape === 'string') return [{ path, kind: shape }];
  if (Array.isArray(shape)) return [{ path, kind: 'list' }, ...fieldsOf(shape[0] as Shape, path)];
  return Object.entries(shape).flatMap(([member, of]) => fieldsOf(of, [...path, member]));
}

/** The ways to distort a field, created for each subject, since one of them has a state. */
export function distortionsOf(kind: Field['kind']): Readonly<Record<string, () => Distort>> {
  const ways = Object.entries(kind === 'list' ? OF_LISTS : BY_KIND[kind]);
  const stateless = ways.map(([name, distort]) => [name, () => distort] as const);
  return {
    ...Object.fromEntries(stateless),
    ...(['list', 'flag', 'opaque'].includes(kind) ? {} : { stuck: sticking }),
    ...(['text', 'word', 'instant', 'id', 'uuid', 'hash'].includes(kind) ? { lost: () => () => null } : {}),
  };
}

/** The first value stands for all later ones. */
function sticking(): Distort {
  let first: unknown;
  return (value) => {
    first ??= value;
    return first;
  };
}

/** Changes one field of a value, if it has that field. */
export function changed(value: unknown, { path, kind }: Field, change: Distort): unknown {
  if (value === undefined || value === null) return value;
  if (kind === 'list' && path.length === 0) return changedList(value, change);
  if (value instanceof Set) return new Set([...value].map((item) => changed(item, { path, kind }, change)));
  if (Array.isArray(value)) return value.map((item) => changed(item, { path, kind }, change));
  const [member, ...rest] = path;
  if (member === undefined) return change(value as never);
  if (typeof value !== 'object' || !(member in value)) return value;
  const held: unknown = Reflect.get(value, member);
  return { ...value, [member]: changed(held, { path: rest, kind }, change) };
}

function changedList(list: unknown, change: Distort): unknown {
  return list instanceof Set ? new Set(change([...list] as never) as never) : change(list as never);
}
