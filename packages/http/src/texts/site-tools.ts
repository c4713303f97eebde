import type { SiteTool } from '@pinfold/core';

/** A tool that builds sites, and how it writes relative references. */
export interface BuildTool {
  readonly name: string;
  /** The command or setting, as it is written in any language; absent where the tool has none. */
  readonly setting?: string;
  /** Whether people write its references, in templates and pages. */
  readonly byHand?: true;
}

const TOOLS: Readonly<Record<SiteTool, BuildTool>> = {
  angular: { name: 'Angular', setting: 'ng build --base-href ./' },
  astro: { name: 'Astro' },
  blazor: { name: 'Blazor' },
  create_react_app: { name: 'Create React App', setting: '"homepage": "." (package.json)' },
  docusaurus: { name: 'Docusaurus', setting: "future: { experimental_router: 'hash' }" },
  eleventy: { name: 'Eleventy', byHand: true },
  flutter: { name: 'Flutter', setting: '<base href="./"> (web/index.html)' },
  gatsby: { name: 'Gatsby' },
  hexo: { name: 'Hexo', setting: "relative_link: true, url_for('about/')" },
  hugo: { name: 'Hugo', setting: 'relativeURLs = true' },
  jekyll: { name: 'Jekyll', byHand: true },
  next: { name: 'Next.js' },
  nuxt: { name: 'Nuxt' },
  sveltekit: { name: 'SvelteKit', setting: 'resolve(), asset() ($app/paths)' },
  vite: { name: 'Vite', setting: 'vite build --base ./' },
  vitepress: { name: 'VitePress' },
};

/** What is known of a tool, for advice on references that begin with `/`. */
export function buildToolOf(tool: SiteTool | undefined): BuildTool | undefined {
  // A newer version of the service may know more.
  return tool !== undefined && Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
}
