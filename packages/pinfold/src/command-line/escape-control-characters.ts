/** Characters that act on a terminal, or change the order of the text around them. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes text from outside safe for one line of a terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(ACTING, '\u{FFFD}');
}

/** The same for text of ours in several lines that contains text from outside. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

/** JSON for one line of a terminal. Characters that act on it are escaped; a parser reads the value unchanged. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    ACTING,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
