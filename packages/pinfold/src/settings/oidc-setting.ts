import { issuerUrl, type OpenIdConnectOptions, parseClaimRule } from '@pinfold/oidc';
import { omitUndefined, type ReadOption } from './read-option.ts';
import { SettingsError } from './settings-error.ts';
import { formatOption, type OptionName } from './variables.ts';

/** Pinfold as a client of an OpenID Connect issuer; `clientSecret` is never printed. */
export type OidcSetting = Omit<OpenIdConnectOptions, 'clock'>;

const PRINTABLE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Returns `undefined` if no issuer is set. */
export function readOidc(read: ReadOption): OidcSetting | undefined {
  const issuer = read('oidc.issuer', (text) => issuerUrl(text) && text);
  const options = {
    clientId: read('oidc.clientId', parsePrintable),
    clientSecret: read('oidc.clientSecret', parseSecret),
    scopes: read('oidc.scopes', parseScopes),
    name: read('oidc.name', parsePrintable),
    accountPrefix: read('oidc.accountPrefix', parsePrefix),
    accountClaim: read('oidc.accountClaim', parsePrintable),
    require: read('oidc.require', parseClaimRule),
    admins: read('oidc.admins', parseClaimRule),
  };
  if (issuer === undefined) return undefined;
  const { clientId, clientSecret, ...optional } = options;
  if (clientId === undefined) throw missingOptionError('oidc.clientId');
  if (clientSecret === undefined) throw missingOptionError('oidc.clientSecret');
  return { issuer, clientId, clientSecret, ...omitUndefined(optional) };
}

export function oidcNotes(setting: OidcSetting | undefined): readonly string[] {
  if (setting?.accountPrefix !== '') return [];
  return [
    `${formatOption('oidc.accountPrefix')} is empty, so a claim of the issuer can name any account, also that of another person`,
  ];
}

function parsePrintable(text: string): string {
  if (!PRINTABLE.test(text)) throw new TypeError('must be 1 to 255 printable characters');
  return text;
}

function parseSecret(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new TypeError('must not be blank');
  return trimmed;
}

/** Checks the syntax of RFC 6749, section 3.3. */
function parseScopes(text: string): string {
  if (
    !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) ||
    !text.split(' ').includes('openid')
  ) {
    throw new TypeError('must be scopes separated by spaces, including openid');
  }
  return text;
}

function parsePrefix(text: string): string {
  if (text === '' || PRINTABLE.test(text)) return text;
  throw new TypeError('must be at most 255 printable characters');
}

function missingOptionError(option: OptionName): SettingsError {
  return new SettingsError(option, `must be set when ${formatOption('oidc.issuer')} is`);
}
