import { parseWeighted } from './weighted-list.ts';

/** The languages the pages speak. */
export type Language = 'en' | 'ja';

/** The language that suits best (RFC 9110, section 12.5.4); English where none does. */
export function languageOf(header: string | undefined): Language {
  if (header === undefined) return 'en';
  let best: Language = 'en';
  let bestWeight = 0;
  for (const { value, weight } of parseWeighted(header)) {
    const language = spoken(value);
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}

function spoken(range: string): Language | undefined {
  const primary = range.split('-', 1)[0];
  if (primary === 'ja') return 'ja';
  return primary === 'en' || primary === '*' ? 'en' : undefined;
}
