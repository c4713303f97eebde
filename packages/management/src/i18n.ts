import type { Day, Instant } from '@pinfold/core';
import { LANGUAGES, type Language } from '@pinfold/http/internal/language';

/** A sentence with `{names}` for values, or one for each plural category that the language has. */
export type Message = string | Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>;

/** A message in every language. */
export type Translated<Text extends Message = Message> = readonly [en: Text, ja: Text];

export type Values = Readonly<Record<string, string | number>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KiB = 1_024;

/** A cache of formats by language and kind: creating one takes a hundred times as long as using it. */
const FORMATS: Map<string, unknown> = new Map();
/** Bounds the cache: a browser may send any of hundreds of time zones. */
const MAX_FORMATS = 100;

/** Returns the IANA name of a time zone; `undefined` if the platform does not know the zone. */
export function timeZoneOf(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The time zone of the person at the browser; UTC if the browser does not know it (`Etc/Unknown`). */
export function localZone(): string {
  return timeZoneOf(String(new Intl.DateTimeFormat().resolvedOptions().timeZone)) ?? 'UTC';
}

/** Returns the format of an exact time, to the minute. It names the zone only if that is UTC. */
export function momentFormat(language: Language, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LANGUAGES[language].dates, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
    ...(timeZone === 'UTC' ? { timeZoneName: 'short' } : {}),
  });
}

/** Writes messages, numbers and times in one language and time zone, on the server and in the browser. */
export class Messages<Id extends string> {
  readonly language: Language;
  /** An IANA name; `UTC` if the person's zone is unknown. */
  readonly timeZone: string;
  readonly #catalogue: Readonly<Record<Id, Message>>;

  constructor(language: Language, timeZone: string, catalogue: Readonly<Record<Id, Message>>) {
    this.language = language;
    this.timeZone = timeZone;
    this.#catalogue = catalogue;
  }

  has(id: string): boolean {
    return Object.hasOwn(this.#catalogue, id);
  }

  /** A message; `count` among the values chooses its plural form (Unicode TR 35, plural rules). */
  text(id: Id, values: Values = {}): string {
    const message = this.#catalogue[id];
    const text = typeof message === 'string' ? message : this.#plural(message, Number(values.count));
    return text.replace(/\{(\w+)\}/g, (_, name: string) => this.#value(values[name]));
  }

  /** The label of a button that first opens a dialog. */
  dialogLabel(id: Id): string {
    return `${this.text(id)}…`;
  }

  join(sentences: readonly string[]): string {
    return sentences.join(LANGUAGES[this.language].joiner);
  }

  number(value: number): string {
    return this.#format('number', (language) => new Intl.NumberFormat(language)).format(value);
  }

  /** Bytes in binary units, as in the service's limits. */
  size(bytes: number): string {
    if (bytes < KiB) return this.#unit(bytes, 'byte');
    const power = bytes < KiB ** 2 ? 1 : bytes < KiB ** 3 ? 2 : 3;
    const [value, unit] = [bytes / KiB ** power, `${'KMG'.charAt(power - 1)}iB`];
    const maximumFractionDigits = value < 100 ? 1 : 0;
    const make = (language: Language) => new Intl.NumberFormat(language, { maximumFractionDigits });
    return `${this.#format(`size ${maximumFractionDigits}`, make).format(value)} ${unit}`;
  }

  moment(at: Instant, timeZone: string = this.timeZone): string {
    const make = (language: Language) => momentFormat(language, timeZone);
    return this.#format(`moment ${timeZone}`, make).format(at);
  }

  day(day: Day): string {
    const options = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const;
    const make = (language: Language) => new Intl.DateTimeFormat(LANGUAGES[language].dates, options);
    return this.#format('day', make).format(day * DAY);
  }

  /** The distance in time: "in 3 days", "2 hours ago". */
  distance(at: Instant, now: Instant): string {
    const apart = at - now;
    const size = Math.abs(apart);
    const numeric = size < MINUTE / 2 ? 'auto' : 'always';
    const make = (language: Language) => new Intl.RelativeTimeFormat(language, { numeric });
    const format = this.#format(`distance ${numeric}`, make);
    if (numeric === 'auto') return format.format(0, 'second');
    const sign = apart < 0 ? -1 : 1;
    if (size < HOUR) return format.format(sign * Math.round(size / MINUTE), 'minute');
    if (size < DAY) return format.format(sign * Math.round(size / HOUR), 'hour');
    return format.format(sign * Math.round(size / DAY), 'day');
  }

  seconds(length: number): string {
    return this.#unit(length, 'second');
  }

  /** A duration in days; in hours or minutes if it is shorter than two days or two hours, and no whole number of them. */
  span(length: number): string {
    const [value, unit] =
      length < 2 * HOUR && length % HOUR !== 0
        ? [length / MINUTE, 'minute']
        : length < 2 * DAY && length % DAY !== 0
          ? [length / HOUR, 'hour']
          : [length / DAY, 'day'];
    return this.#unit(value, unit);
  }

  #unit(value: number, unit: string): string {
    const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
    return this.#format(`unit ${unit}`, (language) => new Intl.NumberFormat(language, options)).format(value);
  }

  #format<Format>(kind: string, make: (language: Language) => Format): Format {
    const name = `${this.language} ${kind}`;
    const known = FORMATS.get(name) as Format | undefined;
    if (known !== undefined) return known;
    if (FORMATS.size >= MAX_FORMATS) FORMATS.clear();
    const format = make(this.language);
    FORMATS.set(name, format);
    return format;
  }

  #value(value: string | number | undefined): string {
    return typeof value === 'number' ? this.number(value) : (value ?? '');
  }

  #plural(forms: Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>, count: number): string {
    const rules = this.#format('plural', (language) => new Intl.PluralRules(language));
    return forms[rules.select(count)] ?? forms.other ?? '';
  }
}
