import type {
  ChangeRequest,
  GrantOutcome,
  Instant,
  Name,
  OpenArchiveOutcome,
  Refusal,
  RoleId,
  RoleRequest,
} from '@pinfold/core';
import { sharedUrlBelow } from '@pinfold/core/internal';

declare const checked: unique symbol;

/** A checked address of Pinfold: http or https, without a trailing slash. */
export type PublicUrl = string & { readonly [checked]: true };

/**
 * Checks an address of Pinfold, and removes trailing slashes.
 *
 * @param refuse creates the error from a text that begins with "must", to be written after the name of the setting.
 * @throws TypeError, or the error of `refuse`, unless it is an http or https URL without credentials, query and fragment.
 * @example
 * import { publicUrl } from '@pinfold/http';
 *
 * publicUrl('https://pages.example/'); // 'https://pages.example'
 */
export function publicUrl(
  text: string,
  refuse: (expectation: string) => Error = (expectation) => new TypeError(`publicUrl ${expectation}`),
): PublicUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse('must be a URL that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw refuse('must have no credentials, no query and no fragment');
  }
  return url.href.replace(/(?<!\/)\/+$/, '') as PublicUrl;
}

/** The path of an address, without a trailing slash: empty at the root of a host. */
export function pathOf(url: PublicUrl): string {
  return url.slice(new URL(url).origin.length);
}

/** The shared URL of a publication. */
export function sharedUrl(url: PublicUrl, id: RoleId): string {
  return sharedUrlBelow(url, id);
}

/** The URL of a name. */
export function nameUrl(url: PublicUrl, name: Pick<Name, 'url'>): string {
  return `${url}/n/${name.url.slice(name.url.lastIndexOf('/') + 1)}`;
}

/** An address that opens a site without its password, or why it is refused. */
export type GrantUrlOutcome =
  | {
      readonly kind: 'created';
      /** Valid for a minute and for anyone who has it; the shared URL itself if the site needs no password. */
      readonly url: string;
      /** When the grant of a viewer who opens the URL ends. */
      readonly expiresAt: Instant;
    }
  | Exclude<GrantOutcome, { readonly kind: 'granted' }>
  /** The embedding team decides who may view sites. */
  | Refusal<'forbidden'>;

/** Creates a URL that opens a site without its password. Viewers have this function: they know the addresses of sites. */
export type CreateGrant = (request: ChangeRequest) => Promise<GrantUrlOutcome>;

/** Opens the ZIP of a publication, unless the embedding team decides who may view sites. Viewers have this function. */
export type OpenArchive = (request: RoleRequest) => Promise<OpenArchiveOutcome | Refusal<'forbidden'>>;
