import { SettingsError } from './settings-error.ts';

/** Where records are kept. */
export type DatabaseSetting =
  | { readonly kind: 'sqlite' }
  /** `url` holds credentials: it is never printed or logged. */
  | { readonly kind: 'postgres'; readonly url: string };

/** Reads `PINFOLD_DATABASE_URL`. */
export function readDatabase(variable: string, value: string | undefined): DatabaseSetting {
  if (value === undefined) return { kind: 'sqlite' };
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new SettingsError(variable, 'must be a URL that begins with postgres://, or absent for SQLite');
  }
  if (![url.username, url.password, url.pathname].every(isPercentEncoded)) {
    throw new SettingsError(variable, 'holds a % that begins no percent-encoded character: write %25 for it');
  }
  return { kind: 'postgres', url: value };
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
