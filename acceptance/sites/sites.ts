import type { SiteTool } from '@pinfold/core';

/** A site in a folder here: a first page with styles, an image and a script, and a link to a second page. */
export interface Site {
  readonly folder: string;
  /** The tools that the table names with versions, each with its package. */
  readonly builtWith: Readonly<Record<string, string>>;
  /** The tool as the product detects it. */
  readonly tool?: SiteTool;
  /** In Markdown, the author's fix for path mode; the script `cured` applies it. */
  readonly cure: string;
}

const NONE = 'none: origin mode';

export const SITES: readonly Site[] = [
  {
    folder: 'astro',
    builtWith: { Astro: 'astro' },
    tool: 'astro',
    cure: 'none: origin mode; plugins of others (`astro-relative-links`) are not tried',
  },
  {
    folder: 'eleventy',
    builtWith: { Eleventy: '@11ty/eleventy' },
    tool: 'eleventy',
    cure: 'write `img/logo.png`, not `/img/logo.png`',
  },
  {
    folder: 'hexo',
    builtWith: { Hexo: 'hexo' },
    tool: 'hexo',
    cure: "`relative_link: true`, and paths without a slash at the beginning: `url_for('about/')`, also in menus and posts",
  },
  {
    folder: 'next',
    builtWith: { 'Next.js': 'next' },
    tool: 'next',
    cure: "none, also with `output: 'export'`: origin mode",
  },
  {
    folder: 'sveltekit',
    builtWith: { SvelteKit: '@sveltejs/kit' },
    tool: 'sveltekit',
    cure: 'with `adapter-static`: `prerender = true`, not its `fallback`; links by `resolve()`, and images in `static` by `asset()` of `$app/paths`',
  },
  { folder: 'typedoc', builtWith: { TypeDoc: 'typedoc' }, cure: 'nothing; it can be used without them' },
  {
    folder: 'vite',
    builtWith: { Vite: 'vite', 'React Router': 'react-router' },
    tool: 'vite',
    cure: '`vite build --base ./`, and with a client-side router hash routes (`createHashRouter`, `createWebHashHistory`)',
  },
  { folder: 'vitepress', builtWith: { VitePress: 'vitepress' }, tool: 'vitepress', cure: NONE },
];
