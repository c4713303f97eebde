import type { OriginNeed, SiteTool } from '@pinfold/core';
import { importsOf, urlsOf } from './file-urls.ts';
import {
  candidatesOf,
  decodeCharacters,
  plainTargetOf,
  refreshTarget,
  type Tag,
  tagsOf,
  targetOf,
} from './html-tags.ts';
import type { ReferenceCollector } from './reference-collector.ts';
import { SCRIPT_HINT } from './script-findings.ts';

/** Findings in a page other than its references. */
export interface PageFindings {
  readonly originNeeds: readonly OriginNeed[];
  /** The addresses of embeds that need a Referer but get none. */
  readonly withoutReferrer: readonly string[];
  /** Its scripts: the text of elements, event handlers and `javascript:` URLs. */
  readonly scripts: readonly string[];
  readonly tool?: SiteTool;
}

type UrlAttribute = 'action' | 'data' | 'formaction' | 'href' | 'poster' | 'src' | 'xlink:href';

const LINK_HREF = [['href', true]] as const;
const LOADED_SRC = [['src', false]] as const;
const SVG_HREFS = [
  ['href', false],
  ['xlink:href', false],
] as const;
/** The attributes of each element that have a URL, and whether following it is a navigation. */
const URLS: ReadonlyMap<string, readonly (readonly [UrlAttribute, boolean])[]> = new Map(
  Object.entries({
    a: [...LINK_HREF, ['xlink:href', true]],
    area: LINK_HREF,
    audio: LOADED_SRC,
    button: [['formaction', true]],
    embed: LOADED_SRC,
    form: [['action', true]],
    frame: [['src', true]],
    iframe: [['src', true]],
    image: SVG_HREFS,
    img: LOADED_SRC,
    input: [...LOADED_SRC, ['formaction', true]],
    link: LINK_HREF,
    object: [['data', false]],
    script: LOADED_SRC,
    source: LOADED_SRC,
    track: LOADED_SRC,
    use: SVG_HREFS,
    video: [...LOADED_SRC, ['poster', false]],
  }),
);
const READ_ELEMENTS = new Set([...URLS.keys(), 'app-root', 'base', 'meta', 'style']);
const LINK_ELEMENTS = new Set([...URLS.keys(), 'base']);
/** The attributes that {@link readLinks} reads. */
const LINK_ATTRIBUTES: ReadonlySet<UrlAttribute> = new Set(['href', 'src', 'xlink:href']);

/** The `rel` of links that a browser loads with the page; other links lead to pages. */
const LOADED =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
const MODULE_LINK = /(?:^|\s)modulepreload(?:\s|$)/i;
/** A base with one of these schemes is ignored (HTML, "set the frozen base URL"). */
const IGNORED_BASE = /^\s*(?:data|javascript):/i;
/** Stands for an unreadable base: no reference relative to it is followed. */
const UNKNOWN_BASE = 'unknown:';
/** Types of scripts that do not run in a browser. `text/babel` does: Babel's script compiles it there. */
const DATA_TYPE =
  /^\s*(?:application\/(?:ld\+)?json|importmap|speculationrules|text\/(?!javascript|ecmascript|babel))/i;
const SCRIPT_URL = /^\s*javascript:/i;
const OTHER_SITE = /^\s*(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i;
const PDF = /\.pdf\s*(?:[?#]|$)/i;
/** YouTube's player refuses to play without a Referer. */
const NEEDS_REFERRER = /^\s*(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\//i;
/** Policies that send a Referer to other sites, including outdated names. Browsers ignore unknown policies. */
const SENDS_REFERRER =
  /^(?:no-referrer-when-downgrade|(?:strict-)?origin|(?:strict-)?origin-when-cross-?origin|unsafe-url|always|default)$/i;

/** Reads the references of a page into a collector, and returns its other findings. */
export function readPage(html: string, collector: ReferenceCollector): PageFindings {
  const reader = new PageReader(collector, html.includes(' ng-version="') ? 'angular' : undefined);
  for (const tag of tagsOf(html, READ_ELEMENTS, SCRIPT_HINT)) if (!reader.read(tag)) break;
  return reader.findings();
}

/** Reads only the references in `href` and `src`: they show in which encoding the author wrote the names of files. */
export function readLinks(html: string, collector: ReferenceCollector): void {
  const reader = new PageReader(collector, undefined);
  for (const tag of tagsOf(html, LINK_ELEMENTS)) if (!reader.readLinks(tag)) break;
}

export function readCss(css: string, collector: ReferenceCollector): boolean {
  for (const url of urlsOf(css)) {
    if (!collector.add(plainTargetOf(url), { navigation: false })) return false;
  }
  return true;
}

export function readModule(script: string, collector: ReferenceCollector): boolean {
  return importsOf(script).every((url) =>
    collector.add(plainTargetOf(url), { navigation: false, isModule: true }),
  );
}

class PageReader {
  readonly #collector: ReferenceCollector;
  readonly #needs = new Set<OriginNeed>();
  readonly #embeds: string[] = [];
  readonly #scripts: string[] = [];
  #sendsReferrer = false;
  #tool: SiteTool | undefined;
  /** Whether the last media element loads its tracks across origins. */
  #isCrossOrigin = false;

  constructor(collector: ReferenceCollector, tool: SiteTool | undefined) {
    this.#collector = collector;
    this.#tool = tool;
  }

  findings(): PageFindings {
    return {
      originNeeds: [...this.#needs],
      withoutReferrer: this.#sendsReferrer ? [] : this.#embeds,
      scripts: this.#scripts,
      ...(this.#tool !== undefined && { tool: this.#tool }),
    };
  }

  /** Reads one tag; returns false once the bounds are used up. */
  read(tag: Tag): boolean {
    const { name, href, style, text, srcset, imagesrcset, handlers = [] } = tag;
    for (const handler of handlers) this.#scripts.push(decodeCharacters(handler));
    if (name === 'script' && text !== undefined && !DATA_TYPE.test(tag.type ?? '')) this.#scripts.push(text);
    if (name === 'a' && href !== undefined && SCRIPT_URL.test(href))
      this.#scripts.push(decodeCharacters(href));
    this.#tool = toolOf(tag, this.#tool);
    if (name === 'base') return this.#readBase(tag);
    if (name === 'meta') return this.#readMeta(tag);
    this.#findNeeds(tag);
    return (
      this.#readUrls(tag) &&
      this.#readSrcset(srcset) &&
      this.#readSrcset(imagesrcset) &&
      (style === undefined || readCss(decodeCharacters(style), this.#collector)) &&
      (text === undefined || this.#readText(tag, text))
    );
  }

  /** Reads `href` and `src` of one tag; returns false once the bounds are used up. */
  readLinks(tag: Tag): boolean {
    return tag.name === 'base' ? this.#readBase(tag) : this.#readUrls(tag, LINK_ATTRIBUTES);
  }

  /** @param wanted the attributes to read. Default: all. */
  #readUrls(tag: Tag, wanted?: ReadonlySet<UrlAttribute>): boolean {
    const { name, rel = '' } = tag;
    return (URLS.get(name) ?? []).every(([attribute, isNavigation]) => {
      const value = wanted === undefined || wanted.has(attribute) ? tag[attribute] : undefined;
      if (value === undefined) return true;
      const navigation = name === 'link' ? !LOADED.test(rel) : isNavigation;
      const isModule = name === 'script' ? isModuleScript(tag) : name === 'link' && MODULE_LINK.test(rel);
      return this.#collector.add(targetOf(value), { navigation, ...(isModule && { isModule }) }, value);
    });
  }

  #readBase({ href }: Tag): boolean {
    if (href === undefined || this.#collector.hasBase || IGNORED_BASE.test(href)) return true;
    const target = targetOf(href);
    return this.#collector.setBase(target === '' && href.trim() !== '' ? UNKNOWN_BASE : target);
  }

  #readMeta({ name, content = '', ...tag }: Tag): boolean {
    if (/^\s*referrer\s*$/i.test(tag.metaName ?? ''))
      this.#sendsReferrer = SENDS_REFERRER.test(content.trim());
    const url = /^\s*refresh\s*$/i.test(tag['http-equiv'] ?? '') ? refreshTarget(content) : undefined;
    return url === undefined || this.#collector.add(targetOf(url), { navigation: true }, url);
  }

  #readSrcset(srcset: string | undefined): boolean {
    for (const url of candidatesOf(srcset ?? '')) {
      if (!this.#collector.add(targetOf(url), { navigation: false }, url)) return false;
    }
    return true;
  }

  #readText(tag: Tag, text: string): boolean {
    if (tag.name === 'style') return readCss(text, this.#collector);
    return !isModuleScript(tag) || readModule(text, this.#collector);
  }

  /** Finds features that need an origin of the site's own, or a Referer. */
  #findNeeds({ name, href, src, data, crossorigin, referrerpolicy = '', ...tag }: Tag): void {
    const embedded = (name === 'object' ? data : src) ?? '';
    if (name === 'video' || name === 'audio') this.#isCrossOrigin = crossorigin !== undefined;
    if (name === 'track' && src !== undefined && !this.#isCrossOrigin) this.#needs.add('track');
    if (name === 'use') {
      const target = (href ?? tag['xlink:href'] ?? '').trim();
      if (target !== '' && !target.startsWith('#') && !OTHER_SITE.test(target))
        this.#needs.add('external_use');
    }
    if (name === 'iframe' || name === 'embed' || name === 'object') {
      if (PDF.test(embedded) && !OTHER_SITE.test(embedded)) this.#needs.add('embedded_pdf');
    }
    if (name === 'iframe' && NEEDS_REFERRER.test(embedded) && !SENDS_REFERRER.test(referrerpolicy.trim())) {
      this.#embeds.push(targetOf(embedded));
    }
  }
}

function isModuleScript({ type = '' }: Tag): boolean {
  return /^\s*module\s*$/i.test(type);
}

/** Names of tools in `<meta name="generator">`. */
const GENERATORS: readonly (readonly [RegExp, SiteTool])[] = [
  [/^astro|^starlight/i, 'astro'],
  [/^docusaurus/i, 'docusaurus'],
  [/^eleventy/i, 'eleventy'],
  [/^gatsby/i, 'gatsby'],
  [/^hexo/i, 'hexo'],
  [/^hugo/i, 'hugo'],
  [/^jekyll/i, 'jekyll'],
  [/^next\.?js/i, 'next'],
  [/^nuxt/i, 'nuxt'],
  [/^vitepress/i, 'vitepress'],
];

/** File names that only one tool uses. */
const TOOL_FILES: readonly (readonly [RegExp, SiteTool])[] = [
  [/(?:^|\/)_next\//, 'next'],
  [/(?:^|\/)_astro\//, 'astro'],
  [/(?:^|\/)_nuxt\//, 'nuxt'],
  [/(?:^|\/)_app\/immutable\//, 'sveltekit'],
  [/(?:^|\/)_framework\/blazor\./, 'blazor'],
  [/(?:^|\/)(?:flutter_bootstrap|flutter|main\.dart)\.js(?:\?|$)/, 'flutter'],
  [/(?:^|\/)vp-icons\.css$/, 'vitepress'],
  [/(?:^|\/)polyfills[.-]\w{8,20}\.js$/, 'angular'],
  [/(?:^|\/)static\/js\/main\.\w{8}\.js$/, 'create_react_app'],
];
/** The file names of Vite, and of tools that build with it. */
const VITE_FILE = /(?:^|\/)assets\/[\w.-]{1,99}-[\w-]{8}\.js$/;

/** Finds the tool that made the page by one of its tags; otherwise returns the known one. */
function toolOf(tag: Tag, known: SiteTool | undefined): SiteTool | undefined {
  if (known !== undefined && known !== 'vite') return known;
  const { name, content = '' } = tag;
  if (name === 'app-root') return 'angular';
  if (name === 'meta') {
    return /^\s*generator\s*$/i.test(tag.metaName ?? '') ? (find(GENERATORS, content) ?? known) : known;
  }
  const file = name === 'script' ? tag.src : name === 'link' ? tag.href : undefined;
  if (file === undefined) return known;
  return find(TOOL_FILES, file) ?? (name === 'script' && VITE_FILE.test(file) ? 'vite' : known);
}

function find(table: typeof TOOL_FILES, text: string): SiteTool | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
