import { issuerUrl, type OpenIdConnectOptions, parseClaimRule } from '@pinfold/oidc';
import { given, type ReadOption } from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { named, type OptionName } from './variables.ts';

/** A client of an issuer of OpenID Connect; `clientSecret` is never printed. */
export type OidcSetting = Omit<OpenIdConnectOptions, 'clock'>;

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Returns `undefined` without an issuer. */
export function readOidc(read: ReadOption): OidcSetting | undefined {
  const issuer = read('oidc.issuer', (text) => issuerUrl(text) && text);
  const others = {
    clientId: read('oidc.clientId', printable),
    clientSecret: read('oidc.clientSecret', secret),
    scopes: read('oidc.scopes', scopes),
    name: read('oidc.name', printable),
    accountPrefix: read('oidc.accountPrefix', prefix),
    accountClaim: read('oidc.accountClaim', printable),
    require: read('oidc.require', parseClaimRule),
    admins: read('oidc.admins', parseClaimRule),
  };
  if (issuer === undefined) return undefined;
  const { clientId, clientSecret, ...optional } = others;
  if (clientId === undefined) throw needed('oidc.clientId');
  if (clientSecret === undefined) throw needed('oidc.clientSecret');
  return { issuer, clientId, clientSecret, ...given(optional) };
}

export function oidcNotes(setting: OidcSetting | undefined): readonly string[] {
  if (setting?.accountPrefix !== '') return [];
  return [
    `${named('oidc.accountPrefix')} is empty, so a claim of the issuer can name any account, also that of another person`,
  ];
}

function printable(text: string): string {
  if (!PRINTABLE.test(text)) throw new TypeError('must be 1 to 255 printable characters');
  return text;
}

function secret(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new TypeError('must not be blank');
  return trimmed;
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
  throw new TypeError('must be at most 255 printable characters');
}

function needed(option: OptionName): SettingsError {
  return new SettingsError(option, `must be set when ${named('oidc.issuer')} is`);
}
