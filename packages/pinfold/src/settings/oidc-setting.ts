import { issuerUrl, type OpenIdConnectOptions, parseClaimRule } from '@pinfold/oidc';
import { given, type ReadVariable, readText } from './read-variable.ts';
import { SettingsError } from './settings-error.ts';

/** A client of an issuer of OpenID Connect; `clientSecret` is never printed. */
export type OidcSetting = Omit<OpenIdConnectOptions, 'clock'>;

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Returns `undefined` without an issuer. `accountPrefix` is the raw variable: an empty one is not the same as an absent one. */
export function readOidc(read: ReadVariable, accountPrefix: string | undefined): OidcSetting | undefined {
  const issuer = read(
    'OIDC_ISSUER',
    readText((text) => issuerUrl(text) && text),
  );
  const others = {
    clientId: read('OIDC_CLIENT_ID', readText(printable)),
    clientSecret: read(
      'OIDC_CLIENT_SECRET',
      readText((text) => text),
    ),
    scopes: read('OIDC_SCOPES', readText(scopes)),
    name: read('OIDC_NAME', readText(printable)),
    accountPrefix: read('OIDC_ACCOUNT_PREFIX', () =>
      accountPrefix === undefined ? undefined : prefix(accountPrefix),
    ),
    accountClaim: read('OIDC_ACCOUNT_CLAIM', readText(printable)),
    require: read('OIDC_REQUIRE', readText(parseClaimRule)),
    admins: read('OIDC_ADMINS', readText(parseClaimRule)),
  };
  if (issuer === undefined) return undefined;
  const { clientId, clientSecret, ...optional } = others;
  if (clientId === undefined) throw needed('OIDC_CLIENT_ID');
  if (clientSecret === undefined) throw needed('OIDC_CLIENT_SECRET');
  return { issuer, clientId, clientSecret, ...given(optional) };
}

export function oidcNotes(setting: OidcSetting | undefined): readonly string[] {
  if (setting?.accountPrefix !== '') return [];
  return [
    'PINFOLD_OIDC_ACCOUNT_PREFIX is empty, so a claim of the issuer can name any account, also that of another person',
  ];
}

function printable(text: string): string {
  if (!PRINTABLE.test(text)) throw new TypeError('must be 1 to 255 printable characters');
  return text;
}

/** RFC 6749, section 3.3. */
function scopes(text: string): string {
  if (
    !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) ||
    !text.split(' ').includes('openid')
  ) {
    throw new TypeError('must be scopes separated by spaces, including openid');
  }
  return text;
}

function prefix(text: string): string {
  if (text === '' || PRINTABLE.test(text)) return text;
  throw new SettingsError('PINFOLD_OIDC_ACCOUNT_PREFIX', 'must be at most 255 printable characters');
}

function needed(name: string): SettingsError {
  return new SettingsError(`PINFOLD_${name}`, 'must be set when PINFOLD_OIDC_ISSUER is');
}
