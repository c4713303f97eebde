/** A value in markup: text is escaped, markup and numbers are written, and absent values and booleans are omitted. */
type HtmlValue = Html | string | number | boolean | null | undefined | Iterable<HtmlValue>;

export class Html {
  /** Written text, and items that are not written yet. */
  readonly #parts: readonly (string | Iterable<HtmlValue>)[];

  private constructor(parts: readonly (string | Iterable<HtmlValue>)[]) {
    this.#parts = parts;
  }

  static raw(markup: string): Html {
    return new Html([markup]);
  }

  static of(strings: readonly string[], values: readonly HtmlValue[]): Html {
    const parts: (string | Iterable<HtmlValue>)[] = [];
    let text = '';
    const add = (value: HtmlValue): void => {
      if (typeof value === 'string') text += escapeText(value);
      else if (typeof value === 'number') text += value;
      else if (value instanceof Html) value.#parts.forEach(addPart);
      else if (Array.isArray(value)) value.forEach(add);
      else if (typeof value === 'object' && value !== null) addPart(value as Iterable<HtmlValue>);
    };
    const addPart = (part: string | Iterable<HtmlValue>): void => {
      if (typeof part === 'string') text += part;
      else {
        parts.push(text, part);
        text = '';
      }
    };
    strings.forEach((string, n) => {
      text += string;
      add(values[n]);
    });
    return new Html([...parts, text]);
  }

  /** Writes the markup in pieces of at least `length` characters, so that the caller can pause between two. */
  *pieces(length: number): Generator<string> {
    let piece = '';
    for (const text of this.#written()) {
      piece += text;
      if (piece.length < length) continue;
      yield piece;
      piece = '';
    }
    yield piece;
  }

  toString(): string {
    return [...this.#written()].join('');
  }

  *#written(): Generator<string> {
    for (const part of this.#parts) {
      if (typeof part === 'string') yield part;
      else for (const item of part) yield* html`${item}`.#written();
    }
  }
}

const UNSAFE_CHARACTER = /["&'<>]/;
const UNSAFE_CHARACTERS = /["&'<>]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};

function escapeText(text: string): string {
  return UNSAFE_CHARACTER.test(text)
    ? text.replace(UNSAFE_CHARACTERS, (sign) => ENTITIES[sign] ?? sign)
    : text;
}

/**
 * Writes markup. Values are escaped, unless they are markup themselves. Arrays are written at once, other iterables only
 * when the markup is, so that {@link Html.pieces} can pause between their items.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.of(strings, values);
}

/** Marks a trusted text as markup. Never use it for input. */
export const raw: (markup: string) => Html = Html.raw;
