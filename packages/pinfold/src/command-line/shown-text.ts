/** What acts on a terminal, or changes the order of the text around it. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes text from outside safe for one line of a terminal. */
export function shownText(text: string): string {
  return text.replaceAll(ACTING, '\u{FFFD}');
}

/** The same for text of ours in several lines that contains text from outside. */
export function shownLines(text: string): string {
  return text.split('\n').map(shownText).join('\n');
}

/** JSON for one line of a terminal: what acts on it is escaped, so that a parser reads the value as it is. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    ACTING,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
