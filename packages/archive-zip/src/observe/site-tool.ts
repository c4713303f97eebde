import type { SiteTool } from '@pinfold/core';
import type { Tag } from './html-tags.ts';

/** Names in `<meta name="generator">`. */
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

/** Files whose names only one tool gives. */
const FILES: readonly (readonly [RegExp, SiteTool])[] = [
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
/** Tools that build with Vite name their files so, too. */
const OF_VITE = /(?:^|\/)assets\/[\w.-]{1,99}-[\w-]{8}\.js$/;

/** The tool that made a page as far as a tag shows it, or the one that is known already. */
export function toolOf(tag: Tag, known: SiteTool | undefined): SiteTool | undefined {
  if (known !== undefined && known !== 'vite') return known;
  const { name, content = '' } = tag;
  if (name === 'app-root') return 'angular';
  if (name === 'meta') {
    return /^\s*generator\s*$/i.test(tag.metaName ?? '') ? (find(GENERATORS, content) ?? known) : known;
  }
  const file = name === 'script' ? tag.src : name === 'link' ? tag.href : undefined;
  if (file === undefined) return known;
  return find(FILES, file) ?? (name === 'script' && OF_VITE.test(file) ? 'vite' : known);
}

function find(table: typeof FILES, text: string): SiteTool | undefined {
  return table.find(([form]) => form.test(text))?.[1];
}
