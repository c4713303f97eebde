/** The languages the screen speaks. */
export type Language = 'en' | 'ja';

/** Every language, under its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', ja: '日本語' };

/** Takes a text as a language of ours. */
export function parseLanguage(text: string | undefined): Language | undefined {
  return text === 'en' || text === 'ja' ? text : undefined;
}

/** The language of ours that suits best (RFC 9110, section 12.5.4); English where none does. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const quality = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
    return { language: tag === '*' ? 'en' : tag.split('-', 1)[0], weight: Number(quality ?? 1) };
  });
  const spoken = wishes.filter(({ language, weight }) => weight > 0 && parseLanguage(language) !== undefined);
  const [best] = spoken.sort((one, other) => other.weight - one.weight);
  return parseLanguage(best?.language) ?? 'en';
}
