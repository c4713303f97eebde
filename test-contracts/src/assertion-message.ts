import { AssertionError } from 'chai';
import { START } from './fixtures/clock.ts';
import { uuidOf } from './fixtures/roles.ts';

const DAY = 86_400_000;
/** A number is shown as an instant if it is this close to the fixtures' beginning. */
const NEAR = 400 * DAY;
const MAX_LENGTH = 160;

interface Compared {
  readonly message: string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly came: string;
}

/**
 * The message of a failed comparison: the first difference, with the expected and actual value, and
 * readable names for ids and instants. Returns other errors unchanged.
 */
export function inWords(error: unknown): unknown {
  if (!(error instanceof AssertionError)) return error;
  const { actual, expected, message }: Compared = error;
  if (typeof expected !== 'object' || expected === null || !message.includes(' to ')) return error;
  const { path, expected: wanted, came } = difference(expected, actual, '');
  const what = message.includes(': expected') ? `${message.slice(0, message.indexOf(': expected'))}: ` : '';
  error.message = `${what}expected ${wanted}${path === '' ? '' : ` at ${path}`}, but ${came} came`;
  error.stack = error.stack?.replace(message, () => error.message) ?? error.message;
  // Test runners show both values below the message.
  return Object.assign(error, { actual: formatted(actual, 1), expected: formatted(expected, 1) });
}

function difference(expected: unknown, actual: unknown, path: string): Difference {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const place = expected.findIndex((item, n) => !isSame(item, actual[n]));
    if (place !== -1 && place < actual.length)
      return difference(expected[place], actual[place], `${path}[${place}]`);
    if (expected.length !== actual.length) return ofLength(expected, actual, path);
  }
  if (isRecord(expected) && isRecord(actual)) {
    const name = [...Object.keys(expected), ...Object.keys(actual)].find(
      (key) => !isSame(expected[key], actual[key]),
    );
    if (name !== undefined) {
      return difference(expected[name], actual[name], path === '' ? name : `${path}.${name}`);
    }
  }
  return { path, expected: brief(expected), came: brief(actual) };
}

function ofLength(expected: readonly unknown[], actual: readonly unknown[], path: string): Difference {
  const [longer, place] = [
    expected.length > actual.length ? expected : actual,
    Math.min(expected.length, actual.length),
  ];
  const next = `[${place}] is ${brief(longer[place])}`;
  return { path, expected: `${expected.length} items`, came: `${actual.length} (${next})` };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === typeof other && formatted(one, 0) === formatted(other, 0));
}

function brief(value: unknown): string {
  const text = formatted(value, 0);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)} …`;
}

/** A value as text, on several lines if `indent` is given. */
function formatted(value: unknown, indent: number): string {
  const plain = (_: string, held: unknown): unknown => {
    if (typeof held === 'string') return withNames(held);
    if (typeof held === 'number') return Math.abs(held - START) < NEAR ? asTime(held) : held;
    if (typeof held === 'bigint') return `<${held}n>`;
    if (held instanceof Uint8Array) return `${held.byteLength} bytes`;
    if (held instanceof Set) return [...held];
    if (held instanceof Map) return [...held];
    if (held instanceof Error) return `${held.name}: ${held.message}`;
    return held === undefined ? '<undefined>' : held;
  };
  return (JSON.stringify(value, plain, indent) ?? String(value))
    .replaceAll(/"(<[^"<>]*>)"/g, '$1')
    .replaceAll(/[<>]/g, '');
}

/** The fixtures' ids by their numbers; similar ids stay unchanged, to be distinguishable. */
function withNames(text: string): string {
  const shown = text
    .replaceAll(/\b(\d{13})-([0-9a-f]{8}-0000-4000-8000-([0-9a-f]{12}))\b/g, archive)
    .replaceAll(/\b[0-9a-f]{8}-0000-4000-8000-([0-9a-f]{12})\b/g, (uuid: string, n: string) =>
      isFixture(uuid, n) ? `role ${number(n)}` : uuid,
    )
    .replaceAll(/\b0{40}0*([1-9a-f][0-9a-f]{0,23}|0)\b/g, (_, n: string) => `hash ${number(n)}`);
  return shown === text ? text : `<${shown}>`;
}

/** Shows the instants that distinguish archives of one number. */
function archive(id: string, at: string, uuid: string, n: string): string {
  if (!isFixture(uuid, n)) return id;
  const name = `archive ${number(n)}`;
  return Number(at) === START + number(n) ? name : `${name} of ${time(Number(at))}`;
}

function isFixture(uuid: string, n: string): boolean {
  return uuidOf(Number.parseInt(n, 16)) === uuid;
}

function number(hexadecimal: string): number {
  const n = Number.parseInt(hexadecimal, 16);
  return n >= 0x1000_0000 ? n % 0x1000_0000 : n;
}

/** The time of day, with the day if it is not the first day of the fixtures. */
function asTime(instant: number): string {
  return `<${time(instant)}>`;
}

function time(instant: number): string {
  const [day, time = ''] = new Date(instant).toISOString().split('T');
  const clock = time.replace(/(?:\.000)?Z$/, '');
  return Math.floor(instant / DAY) === Math.floor(START / DAY) ? clock : `${day} ${clock}`;
}
