/** The languages the screen speaks. */
export type Language = 'en' | 'ja';

/** Every language, under its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };

/** Takes a text as a language of ours, or as one of those that are offered. */
export function parseLanguage(
  text: string | undefined,
  offered: readonly Language[] = ['en', 'ja'],
): Language | undefined {
  return offered.find((language) => language === text);
}
