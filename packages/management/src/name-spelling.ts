const MAX_CHARACTERS = 63;

/** What the `pattern` of a field for a name is. */
export const NAME_PATTERN = '[a-z0-9]([a-z0-9\\-]*[a-z0-9])?';

/** What a field for a name gets from the server. The texts have `{name}` for the name. */
export interface OfferedNames {
  readonly names: readonly string[];
  readonly texts: Readonly<Record<'offer' | 'moves' | 'isNew', string>>;
}

/** The name nearest to a text, without accents and with `-` for all that a name cannot have; empty where there is none. */
export function spelledAsName(text: string): string {
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
