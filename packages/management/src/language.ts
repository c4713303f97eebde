/** The languages the screen speaks. */
export type Language = 'en' | 'ja';

/** Every language, under its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };

/** Takes a text as a language of ours. */
export function parseLanguage(text: string | undefined): Language | undefined {
  return text === 'en' || text === 'ja' ? text : undefined;
}
