import type { Message } from './i18n.ts';
import { LANGUAGES, type Language } from './language.ts';
import { catalogues, type MessageId } from './messages/catalogues.ts';

/** A link of the team's. */
export interface OwnLink {
  readonly url: string;
  readonly text: string;
}

/** What an embedding team makes its own of the screen; every member may be absent. */
export interface LookOptions {
  /** The product's name, in titles and at the top. Default `Pinfold`. */
  readonly productName?: string;
  /** The address of a picture in place of our mark, of your host or another. */
  readonly logoUrl?: string;
  /** One CSS colour; it is made dark enough for light pages and light enough for dark ones. */
  readonly accentColor?: string;
  /** A link back to where people come from. */
  readonly back?: OwnLink;
  /** With `authenticate`: where people sign in and out. */
  readonly signInUrl?: string;
  readonly signOutUrl?: string;
  /** The languages that are offered, the one for everybody else first. Default all. */
  readonly languages?: readonly [Language, ...Language[]];
  /** Words in place of ours, by the name of the message; what browsers' scripts say stays ours. */
  readonly words?: Readonly<Partial<Record<Language, Readonly<Partial<Record<MessageId, Message>>>>>>;
}

/** {@link LookOptions}, checked and complete. */
export interface Look extends LookOptions {
  readonly productName: string;
  readonly languages: readonly [Language, ...Language[]];
  readonly catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>>;
  /** A sheet in the page, where the accent is theirs. */
  readonly sheet: string | undefined;
  /** Where pictures may come from. */
  readonly pictures: string;
}

const MEMBERS: readonly string[] = [
  'productName',
  'logoUrl',
  'accentColor',
  'back',
  'signInUrl',
  'signOutUrl',
  'languages',
  'words',
] satisfies readonly (keyof LookOptions)[];

/** Names, numbers and functions: nothing that ends a declaration. */
const COLOR = /^[#\w\s.,%()/+-]{1,100}$/;
const ALL: readonly [Language, ...Language[]] = ['en', 'ja'];

/**
 * Checks what a team has chosen.
 *
 * @throws TypeError when the colour is none, a language is not ours, an address is none of http or https, or there is no
 * such member or message.
 */
export function lookOf(options: LookOptions): Look {
  const { productName = 'Pinfold', languages = ALL, accentColor, logoUrl, words = {} } = options;
  checkNames(options, words);
  if (languages.length === 0 || languages.some((one) => !Object.hasOwn(LANGUAGES, one))) {
    throw new TypeError('look.languages must name at least one of en and ja');
  }
  if (accentColor !== undefined && !COLOR.test(accentColor)) {
    throw new TypeError('look.accentColor must be a CSS colour');
  }
  for (const url of [logoUrl, options.back?.url, options.signInUrl, options.signOutUrl]) checkUrl(url);
  return {
    ...options,
    productName,
    languages,
    catalogues: { en: { ...catalogues.en, ...words.en }, ja: { ...catalogues.ja, ...words.ja } },
    sheet: accentColor === undefined ? undefined : sheetOf(accentColor),
    pictures: logoUrl === undefined ? "'self'" : `'self' ${originOf(logoUrl)}`.trim(),
  };
}

/** Where types are not checked, what is misspelt would change nothing, and nobody would be told. */
function checkNames(options: LookOptions, words: NonNullable<LookOptions['words']>): void {
  for (const name of Object.keys(options)) {
    if (!MEMBERS.includes(name)) throw new TypeError(`look has no ${name}`);
  }
  for (const [language, messages] of Object.entries(words)) {
    for (const name of Object.keys(messages ?? {})) {
      if (!Object.hasOwn(catalogues.en, name)) {
        throw new TypeError(`look.words.${language}: there is no message ${name}`);
      }
    }
  }
}

/** An address from the root of this host, or a whole one: nothing that runs as a script. */
function checkUrl(url: string | undefined): void {
  if (url === undefined || /^\/(?![/\\])/.test(url)) return;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new TypeError('addresses of look begin with /, http:// or https://');
}

function originOf(url: string): string {
  return url.startsWith('/') ? '' : new URL(url).origin;
}

/** The hue is theirs; how light it is follows what it stands on, or nobody could read it. */
function sheetOf(color: string): string {
  const tone = (light: string, dark: string) =>
    `light-dark(oklch(from ${color} ${light} c h),oklch(from ${color} ${dark} c h))`;
  const faint = (lightness: number, chroma: number) => `oklch(from ${color} ${lightness} min(c,${chroma}) h)`;
  const names = [
    `:root{--accent:${tone('min(l,.52)', 'max(l,.76)')}`,
    `--accent-strong:${tone('min(l - .06,.46)', 'max(l,.82)')}`,
    `--accent-faint:light-dark(${faint(0.965, 0.016)},${faint(0.275, 0.045)})}`,
  ].join(';');
  // Browsers that cannot make a tone of a colour keep ours.
  return `@supports (color:oklch(from red l c h)){${names}}`;
}
