import type { Language } from '../language.ts';

/** A text in every language, with `{names}` for values and the quotation marks of the language. */
export type Text = Readonly<Record<Language, string>>;

type TextValues = Readonly<Record<string, string | number>>;

/** The texts for a broken rule or a warning. Each door chooses which of them to show, and how to write numbers. */
export interface Finding<Id extends string = string> {
  /** Sentences about the problem and what to do: the same for all files with the same cause. */
  readonly texts: readonly Id[];
  /** The finding in this file, as a phrase; absent if the path shows it. */
  readonly seen?: Id;
  /** A sentence about the exact cause. */
  readonly cause?: Id;
  /** The exact cause for programmers, in English; pages do not show it. */
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

/** A text in English with ASCII quotation marks, for programs and terminals. */
export function englishOf(text: Text, values: TextValues = {}): string {
  return text.en
    .replaceAll(/[“”]/g, '"')
    .replaceAll('’', "'")
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`);
}

/**
 * A finding on one line, in English with ASCII quotation marks; `seen` or the exact cause comes first. {@link readFinding}
 * parses it.
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

/** Splits a line of {@link lineOf} into `seen`, if any, and the sentences. */
export function readFinding(line: string): { readonly seen?: string; readonly sentences: string } {
  const [, seen, sentences] = /^(.*): (?=[A-Z])(.*)$/s.exec(line) ?? [];
  return seen === undefined || sentences === undefined ? { sentences: line } : { seen, sentences };
}
