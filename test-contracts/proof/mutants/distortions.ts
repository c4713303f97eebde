/** Changes a value as a careless implementation might. */
export type Distort = (value: never) => unknown;

/** What a field holds; it decides in which ways the field can be distorted. */
export type Kind = 'text' | 'number' | 'flag' | 'bytes' | 'list';

export interface Field {
  /** The members that lead to it. The items of a list have the path of the list. */
  readonly path: readonly string[];
  readonly kind: Kind;
}

const SECOND = 1_000;

const BY_KIND: Readonly<Record<Kind, Readonly<Record<string, Distort>>>> = {
  text: {
    trimmed: (text: string) => text.trim(),
    lowered: (text: string) => text.toLowerCase(),
    raised: (text: string) => text.toUpperCase(),
    composed: (text: string) => text.normalize('NFC'),
    shortened: (text: string) => text.slice(0, -1),
    cut: (text: string) => text.slice(0, 30),
    terminated: (text: string) => text.split('\0')[0],
    lost: () => null,
  },
  number: {
    seconds: (number: number) => number - (number % SECOND),
    wrapped: (number: number) => number | 0,
    more: (number: number) => number + 1,
    fewer: (number: number) => number - 1,
    capped: (number: number) => Math.min(number, SECOND),
    lost: () => null,
  },
  flag: { raised: () => true, lowered: () => false },
  bytes: {
    shortened: (bytes: Uint8Array) => bytes.slice(0, -1),
    inverted: (bytes: Uint8Array) => bytes.map((byte) => ~byte),
  },
  list: {
    first: (items: readonly unknown[]) => items.slice(0, 1),
    shortened: (items: readonly unknown[]) => items.slice(0, -1),
    reversed: (items: readonly unknown[]) => items.toReversed(),
    emptied: () => [],
    capped: (items: readonly unknown[]) => items.slice(0, SECOND),
  },
};

/** The ways to distort a field. Each is made anew for a subject, since one of them has a memory. */
export function distortionsOf(kind: Kind): Readonly<Record<string, () => Distort>> {
  const ways = Object.entries(BY_KIND[kind]).map(([name, distort]) => [name, () => distort] as const);
  const isScalar = kind === 'text' || kind === 'number';
  return { ...Object.fromEntries(ways), ...(isScalar ? { stuck: sticking } : {}) };
}

/** The first value stands for all later ones. */
function sticking(): Distort {
  let first: unknown;
  return (value) => {
    first ??= value;
    return first;
  };
}

/**
 * All fields of a value with what they hold. What has a class of its own, such as a signal, has none, and neither has an
 * event: the history's suite looks at what is in it.
 */
export function* fieldsIn(
  value: unknown,
  path: readonly string[] = [],
): Generator<readonly [field: Field, held: unknown], void> {
  const kind = kindOf(value);
  if (kind !== undefined && !isOfEvents(value)) yield [{ path, kind }, value];
  if (Array.isArray(value)) for (const item of value) yield* fieldsIn(item, path);
  else if (isRecord(value)) {
    for (const [member, held] of Object.entries(value)) yield* fieldsIn(held, [...path, member]);
  }
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'number' : undefined;
}

function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isEvent(value)) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'recordedAt' in value;
}

function isOfEvents(value: unknown): boolean {
  return Array.isArray(value) && value.some(isEvent);
}

/** A value with one of its fields changed. What has no such field stays as it is. */
export function changed(value: unknown, field: Field, change: Distort): unknown {
  const [member, ...rest] = field.path;
  if (member === undefined && kindOf(value) === field.kind) return change(value as never);
  if (Array.isArray(value)) return value.map((item) => changed(item, field, change));
  if (member === undefined || !isRecord(value) || !(member in value)) return value;
  const held: unknown = Reflect.get(value, member);
  return { ...value, [member]: changed(held, { ...field, path: rest }, change) };
}
