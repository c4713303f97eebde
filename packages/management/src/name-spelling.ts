const MAX_CHARACTERS = 63;

/** The `pattern` attribute of a field for a name. */
export const NAME_PATTERN = '[a-z0-9]([a-z0-9\\-]*[a-z0-9])?';

/** Suggestions for a field for a name. The texts contain `{name}` for the name. */
export interface OfferedNames {
  readonly names: readonly string[];
  readonly texts: Readonly<Record<'offer' | 'moves' | 'isNew', string>>;
}

/** Turns a text into a name: drops accents and writes `-` for other characters that a name cannot have; may be empty. */
export function spellAsName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_CHARACTERS)
    .replace(/-$/, '');
}
