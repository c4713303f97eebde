import type { Language } from '../language.ts';

/** A text in every language, with `{names}` for values and the quotation marks of the language. */
export type Text = Readonly<Record<Language, string>>;

export type TextValues = Readonly<Record<string, string | number>>;

/** What to say about a broken rule or a warning. Each door chooses how much of it, and how it writes figures. */
export interface Finding<Id extends string = string> {
  /** The sentences that say what is wrong and what to do: the same for every file of the same cause. */
  readonly texts: readonly Id[];
  /** What was seen in this file, no sentence; absent if its path says it. */
  readonly seen?: Id;
  /** A sentence about the exact cause. */
  readonly cause?: Id;
  /** The same for programmers: it is English, and no page shows it. */
  readonly reason?: string;
  readonly values: TextValues;
}

export function textsIn<Id extends string>(
  language: Language,
  texts: Readonly<Record<Id, Text>>,
): Readonly<Record<Id, string>> {
  return Object.fromEntries(
    Object.entries<Text>(texts).map(([id, text]) => [id, text[language]]),
  ) as Readonly<Record<Id, string>>;
}

/** A text in English with ASCII's quotation marks, as programs and terminals get it. */
export function englishOf(text: Text, values: TextValues = {}): string {
  return text.en
    .replaceAll(/[“”]/g, '"')
    .replaceAll('’', "'")
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`);
}

/**
 * All of a finding on one line, in English with ASCII's quotation marks: what was seen, or the exact cause, comes first.
 * {@link readFinding} takes it apart.
 */
export function lineOf<Id extends string>(
  { texts, seen, cause, reason, values }: Finding<Id>,
  catalogue: Readonly<Record<Id, Text>>,
): string {
  const fill = (id: Id): string => englishOf(catalogue[id], values);
  const sentences = [cause && fill(cause), reason, ...texts.map(fill)]
    .filter((text) => text !== undefined)
    .join(' ');
  return seen === undefined ? sentences : `${fill(seen)}: ${sentences}`;
}

/** What was seen, if it was said, and the sentences of a line of {@link lineOf}. */
export function readFinding(line: string): { readonly seen?: string; readonly sentences: string } {
  const [, seen, sentences] = /^(.*): (?=[A-Z])(.*)$/s.exec(line) ?? [];
  return seen === undefined || sentences === undefined ? { sentences: line } : { seen, sentences };
}
