import { ALL_LANGUAGES, LANGUAGES, type Language } from '@pinfold/http/internal';
import type { Message } from './i18n.ts';
import { catalogues, type MessageId } from './messages/catalogues.ts';

/** A link to a page of the embedding team. */
export interface OwnLink {
  readonly url: string;
  readonly text: string;
}

/** How an embedding team changes the screen; every member is optional. */
export interface BrandingOptions {
  /** The product's name, in titles and at the top. Default `Pinfold`. */
  readonly productName?: string | undefined;
  /** The address of a picture that replaces the logo, on your host or another. */
  readonly logoUrl?: string | undefined;
  /** One CSS color; it is made dark enough for light pages and light enough for dark ones. */
  readonly accentColor?: string | undefined;
  /** A link back to where people come from. */
  readonly back?: OwnLink | undefined;
  /** With `authenticate`: where people sign in and out. */
  readonly signInUrl?: string | undefined;
  readonly signOutUrl?: string | undefined;
  /** The languages that are offered; the first is used for everyone who prefers none of them. Default all. */
  readonly languages?: readonly [Language, ...Language[]] | undefined;
  /** Replaces texts, by message name. Texts of browser scripts cannot be replaced. */
  readonly messages?:
    | Readonly<Partial<Record<Language, Readonly<Partial<Record<MessageId, Message>>>>>>
    | undefined;
}

/** {@link BrandingOptions}, checked and complete. */
export interface Branding extends BrandingOptions {
  readonly productName: string;
  readonly languages: readonly [Language, ...Language[]];
  readonly catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>>;
  readonly sheet: string | undefined;
  /** The sources of pictures in the Content-Security-Policy. */
  readonly pictures: string;
}

/** Names, numbers and functions; no character that ends a declaration. */
const COLOR = /^[#\w\s.,%()/+-]{1,100}$/;

/** @throws TypeError for an invalid color or address, and for an unknown language, member or message. */
export function brandingOf(options: BrandingOptions): Branding {
  const { productName = 'Pinfold', languages = ALL_LANGUAGES, messages = {}, ...more } = options;
  const { accentColor, logoUrl, back, signInUrl, signOutUrl, ...unknown } = more;
  checkNames(unknown, messages);
  if (languages.length === 0 || languages.some((one) => !Object.hasOwn(LANGUAGES, one))) {
    throw new TypeError(`branding.languages must name at least one of ${ALL_LANGUAGES.join(' and ')}`);
  }
  if (accentColor !== undefined && !COLOR.test(accentColor)) {
    throw new TypeError('branding.accentColor must be a CSS color');
  }
  for (const url of [logoUrl, back?.url, signInUrl, signOutUrl]) checkUrl(url);
  return {
    ...options,
    productName,
    languages,
    catalogues: Object.fromEntries(
      ALL_LANGUAGES.map((one) => [one, { ...catalogues[one], ...messages[one] }]),
    ) as Branding['catalogues'],
    sheet: accentColor === undefined ? undefined : sheetOf(accentColor),
    pictures: logoUrl === undefined ? "'self'" : `'self' ${originOf(logoUrl)}`.trim(),
  };
}

/** Plain JavaScript has no types: a misspelt name would have no effect. */
function checkNames(unknown: object, translations: NonNullable<BrandingOptions['messages']>): void {
  for (const name of Object.keys(unknown)) throw new TypeError(`branding has no ${name}`);
  for (const [language, messages] of Object.entries(translations)) {
    for (const name of Object.keys(messages ?? {})) {
      if (!Object.hasOwn(catalogues.en, name)) {
        throw new TypeError(`branding.messages.${language}: there is no message ${name}`);
      }
    }
  }
}

/** Accepts absolute paths and http(s) URLs, but no other scheme, such as `javascript:`. */
function checkUrl(url: string | undefined): void {
  if (url === undefined || /^\/(?![/\\])/.test(url)) return;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new TypeError('addresses of branding begin with /, http:// or https://');
}

function originOf(url: string): string {
  return url.startsWith('/') ? '' : new URL(url).origin;
}

/** Takes the hue from the color, and bounds its lightness so that text is readable on light and dark pages. */
function sheetOf(color: string): string {
  const tone = (light: string, dark: string) =>
    `light-dark(oklch(from ${color} ${light} c h),oklch(from ${color} ${dark} c h))`;
  const faint = (lightness: number, chroma: number) => `oklch(from ${color} ${lightness} min(c,${chroma}) h)`;
  const names = [
    `:root{--accent:${tone('min(l,.52)', 'max(l,.76)')}`,
    `--accent-strong:${tone('min(l - .06,.46)', 'max(l,.82)')}`,
    `--accent-faint:light-dark(${faint(0.965, 0.016)},${faint(0.275, 0.045)})}`,
  ].join(';');
  // Browsers without relative colors use the default accent.
  return `@supports (color:oklch(from red l c h)){${names}}`;
}
