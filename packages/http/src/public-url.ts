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

/** An address under which Pinfold is reached, checked: http or https, without a slash at its end. */
export type PublicUrl = string & { readonly [checked]: true };

/**
 * Checks an address under which Pinfold is reached. A slash at its end is dropped.
 *
 * @param refuse makes the error of what is wrong: "must be …", to be put behind the name of what was set.
 * @throws TypeError unless it is a URL of http or https without credentials, query and fragment; or what `refuse` makes.
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

/** The path of an address, without a slash at its end: empty at the root of a host. */
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
      /** When the viewing grant ends that it becomes. */
      readonly expiresAt: Instant;
    }
  | Exclude<GrantOutcome, { readonly kind: 'granted' }>
  /** The embedding team decides who may look. */
  | Refusal<'forbidden'>;

/** Makes an address that opens a site without its password; a viewer has it, since it knows where sites live. */
export type CreateGrant = (request: ChangeRequest) => Promise<GrantUrlOutcome>;

/** Opens the ZIP of a publication; refused where the embedding team decides who may look. A viewer has it, which knows that. */
export type OpenArchive = (request: RoleRequest) => Promise<OpenArchiveOutcome | Refusal<'forbidden'>>;
