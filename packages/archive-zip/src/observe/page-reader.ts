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
import { toolOf } from './script-findings.ts';

/** Findings of a page beside its references. */
export interface PageFindings {
  readonly originNeeds: readonly OriginNeed[];
  /** The addresses of embeds that ask for a Referer and get none. */
  readonly withoutReferrer: readonly string[];
  readonly tool?: SiteTool;
}

type UrlAttribute = 'action' | 'data' | 'formaction' | 'href' | 'poster' | 'src' | 'xlink:href';

const LINK = [['href', true]] as const;
const PART = [['src', false]] as const;
const IN_SVG = [
  ['href', false],
  ['xlink:href', false],
] as const;
/** The attributes of each element that name one URL, and whether following it is a navigation. */
const URLS: Readonly<Record<string, readonly (readonly [UrlAttribute, boolean])[]>> = {
  a: [...LINK, ['xlink:href', true]],
  area: LINK,
  audio: PART,
  button: [['formaction', true]],
  embed: PART,
  form: [['action', true]],
  frame: [['src', true]],
  iframe: [['src', true]],
  image: IN_SVG,
  img: PART,
  input: [...PART, ['formaction', true]],
  link: LINK,
  object: [['data', false]],
  script: PART,
  source: PART,
  track: PART,
  use: IN_SVG,
  video: [...PART, ['poster', false]],
};
const READ = new Set([...Object.keys(URLS), 'app-root', 'base', 'meta', 'style']);

/** The `rel` of links that a browser loads with the page; other links lead to pages. */
const LOADED =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
const MODULE_LINK = /(?:^|\s)modulepreload(?:\s|$)/i;
/** A base with one of these schemes is ignored (HTML, "set the frozen base URL"). */
const IGNORED_BASE = /^\s*(?:data|javascript):/i;
/** Resolves no reference: nobody knows where it leads. */
const UNKNOWN_BASE = 'unknown:';
const OTHER_SITE = /^\s*(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i;
const PDF = /\.pdf\s*(?:[?#]|$)/i;
/** YouTube's player refuses to play without a Referer. */
const NEEDS_REFERRER = /^\s*(?:https?:)?\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\//i;
/** Referrer policies that send none to another site; Pinfold's own is `same-origin`. */
const NO_REFERRER = /^(?:no-referrer|same-origin)?$/i;

/** Reads the references of a page into a collector, and returns what else it finds. */
export function readPage(html: string, collector: ReferenceCollector): PageFindings {
  const reader = new PageReader(collector, html.includes(' ng-version="') ? 'angular' : undefined);
  for (const tag of tagsOf(html, READ)) if (!reader.read(tag)) break;
  return reader.findings();
}

/** Reads the references of a style sheet. */
export function readCss(css: string, collector: ReferenceCollector): boolean {
  for (const url of urlsOf(css)) {
    if (!collector.add(plainTargetOf(url), { navigation: false })) return false;
  }
  return true;
}

/** Reads the imports of a module. */
export function readModule(script: string, collector: ReferenceCollector): boolean {
  return importsOf(script).every((url) =>
    collector.add(plainTargetOf(url), { navigation: false, isModule: true }),
  );
}

class PageReader {
  readonly #collector: ReferenceCollector;
  readonly #needs = new Set<OriginNeed>();
  readonly #embeds: string[] = [];
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
      ...(this.#tool !== undefined && { tool: this.#tool }),
    };
  }

  /** Returns whether there is work left for more. */
  read(tag: Tag): boolean {
    const { name, style, text, srcset, imagesrcset } = tag;
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

  #readUrls(tag: Tag): boolean {
    const { name, rel = '' } = tag;
    return (URLS[name] ?? []).every(([attribute, isLink]) => {
      const value = tag[attribute];
      if (value === undefined) return true;
      const navigation = name === 'link' ? !LOADED.test(rel) : isLink;
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
    if (/^\s*referrer\s*$/i.test(tag.metaName ?? '')) this.#sendsReferrer = !NO_REFERRER.test(content.trim());
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

  /** Finds what works only on an origin of its own, or with a Referer. */
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
    if (name === 'iframe' && NEEDS_REFERRER.test(embedded) && NO_REFERRER.test(referrerpolicy.trim())) {
      this.#embeds.push(targetOf(embedded));
    }
  }
}

function isModuleScript({ type = '' }: Tag): boolean {
  return /^\s*module\s*$/i.test(type);
}
