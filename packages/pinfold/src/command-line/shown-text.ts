/** What acts on a terminal, or turns the text around it, rather than standing in it. */
const ACTING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** Makes a text of others fit for one line of a terminal. */
export function shownText(text: string): string {
  return text.replaceAll(ACTING, '\u{FFFD}');
}

/** The same for a text of ours of several lines, with words of others in it. */
export function shownLines(text: string): string {
  return text.split('\n').map(shownText).join('\n');
}
