import type { Day, Instant } from '@pinfold/core';
import type { Language } from './language.ts';

/** A sentence with `{names}` for values, or one for each plural category that the language has. */
export type Message = string | Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>;

/** What stands in for the names in a message. */
export type Values = Readonly<Record<string, string | number>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KiB = 1_024;
/** English speakers the world over read the day before the month; only one country turns them round. */
const DATES: Readonly<Record<Language, string>> = { en: 'en-GB', ja: 'ja' };

/** Says things in one language and in one time zone. It runs on the server and in the browser alike. */
export class Words<Id extends string> {
  readonly language: Language;
  /** An IANA name, or `UTC` where the person's own zone is not known. */
  readonly timeZone: string;
  readonly #catalogue: Readonly<Record<Id, Message>>;
  // Making a formatter takes longer than using it for a whole page.
  #moments: Intl.DateTimeFormat | undefined;
  #distances: Intl.RelativeTimeFormat | undefined;

  constructor(language: Language, timeZone: string, catalogue: Readonly<Record<Id, Message>>) {
    this.language = language;
    this.timeZone = timeZone;
    this.#catalogue = catalogue;
  }

  /** A message; `count` among the values chooses its plural form (Unicode TR 35, plural rules). */
  say(id: Id, values: Values = {}): string {
    const message = this.#catalogue[id];
    const text = typeof message === 'string' ? message : this.#plural(message, Number(values.count));
    return text.replace(/\{(\w+)\}/g, (_, name: string) => this.#value(values[name]));
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.language).format(value);
  }

  /** Bytes in binary units, as the service's own limits are counted. */
  size(bytes: number): string {
    if (bytes < KiB) {
      return new Intl.NumberFormat(this.language, {
        style: 'unit',
        unit: 'byte',
        unitDisplay: 'long',
      }).format(bytes);
    }
    const [value, unit] = bytes < KiB * KiB ? [bytes / KiB, 'KiB'] : [bytes / KiB / KiB, 'MiB'];
    const maximumFractionDigits = value < 100 ? 1 : 0;
    return `${new Intl.NumberFormat(this.language, { maximumFractionDigits }).format(value)} ${unit}`;
  }

  /** The exact time to the minute, with its zone where that is not the person's own. */
  moment(at: Instant): string {
    this.#moments ??= this.#newMoments();
    return this.#moments.format(at);
  }

  /** A day in UTC. */
  day(day: Day): string {
    const options = { year: 'numeric', month: 'long', day: 'numeric', timeZone: 'UTC' } as const;
    return new Intl.DateTimeFormat(DATES[this.language], options).format(day * DAY);
  }

  /** The distance in time: "in 3 days", "2 hours ago". */
  distance(at: Instant, now: Instant): string {
    const apart = at - now;
    const size = Math.abs(apart);
    if (size < MINUTE / 2)
      return new Intl.RelativeTimeFormat(this.language, { numeric: 'auto' }).format(0, 'second');
    this.#distances ??= new Intl.RelativeTimeFormat(this.language, { numeric: 'always' });
    const format = this.#distances;
    const sign = apart < 0 ? -1 : 1;
    if (size < HOUR) return format.format(sign * Math.round(size / MINUTE), 'minute');
    if (size < DAY) return format.format(sign * Math.round(size / HOUR), 'hour');
    return format.format(sign * Math.round(size / DAY), 'day');
  }

  /** A length of time in days, or in hours where it is shorter than two. */
  span(length: number): string {
    const [value, unit] =
      length < 2 * DAY && length % DAY !== 0 ? [length / HOUR, 'hour'] : [length / DAY, 'day'];
    const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
    return new Intl.NumberFormat(this.language, options).format(value);
  }

  #value(value: string | number | undefined): string {
    return typeof value === 'number' ? this.number(value) : (value ?? '');
  }

  #newMoments(): Intl.DateTimeFormat {
    const zone = this.timeZone === 'UTC' ? ({ timeZoneName: 'short' } as const) : {};
    return new Intl.DateTimeFormat(DATES[this.language], {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: this.timeZone,
      ...zone,
    });
  }

  #plural(forms: Partial<Readonly<Record<Intl.LDMLPluralRule, string>>>, count: number): string {
    return forms[new Intl.PluralRules(this.language).select(count)] ?? forms.other ?? '';
  }
}
