interface LanguageRules {
  readonly name: string;
  readonly dates: string;
  /** Stands between two sentences. */
  readonly joiner: string;
}

/** A language of Pinfold's pages. */
export type Language = 'en' | 'ja';

/** Every language, the default first. English dates have the day before the month, as in most countries. */
export const LANGUAGES: Readonly<Record<Language, LanguageRules>> = {
  en: { name: 'English', dates: 'en-GB', joiner: ' ' },
  ja: { name: '日本語', dates: 'ja', joiner: '' },
};

export const ALL_LANGUAGES: readonly [Language, ...Language[]] = Object.keys(LANGUAGES) as [
  Language,
  ...Language[],
];

export function parseLanguage(
  text: string | undefined,
  offered: readonly Language[] = ALL_LANGUAGES,
): Language | undefined {
  return offered.find((language) => language === text);
}
