import { type Html, html, raw } from '@pinfold/http/internal';

/** The icons, drawn on a grid of 16 with one stroke. Each stands beside a word, so it is hidden from screen readers. */
const PATHS = {
  pin: '<path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/>',
  lock: '<rect x="3" y="7" width="10" height="7" rx="1.5"/><path d="M5.2 7V4.8a2.8 2.8 0 0 1 5.6 0V7"/>',
  live: '<circle cx="8" cy="8" r="6"/><path d="m5.2 8.2 2 2 3.6-4"/>',
  soon: '<circle cx="8" cy="8" r="6"/><path d="M8 4.6V8l2.3 1.6"/>',
  expired: '<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.3"/><path d="M5 8h6"/>',
  stopped: '<rect x="2.5" y="2.5" width="11" height="11" rx="2"/><path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8.5" rx="1.5"/><path d="M10.5 3.2V3A1.5 1.5 0 0 0 9 1.5H4A1.5 1.5 0 0 0 2.5 3v6.5A1.5 1.5 0 0 0 4 11"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  more: '<circle cx="3" cy="8" r=".9"/><circle cx="8" cy="8" r=".9"/><circle cx="13" cy="8" r=".9"/>',
  open: '<path d="M6.5 3H4a1.5 1.5 0 0 0-1.5 1.5v7A1.5 1.5 0 0 0 4 13h7a1.5 1.5 0 0 0 1.5-1.5V9.5M9.5 2.5h4v4M13.2 2.8 7.5 8.5"/>',
  folder:
    '<path d="M1.8 4.2A1.2 1.2 0 0 1 3 3h3l1.6 2H13a1.2 1.2 0 0 1 1.2 1.2v5.6A1.2 1.2 0 0 1 13 13H3a1.2 1.2 0 0 1-1.2-1.2z"/>',
  archive:
    '<rect x="3" y="1.8" width="10" height="12.4" rx="1.5"/><path d="M8 2v1.4M8 5v1.4M8 8v1m-1 0h2v2.2H7z"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  good: '<circle cx="8" cy="8" r="6"/><path d="m5.2 8.2 2 2 3.6-4"/>',
  bad: '<path d="M8 1.8 15 14H1z"/><path d="M8 6v3.6m0 1.8v.2"/>',
} as const;

export type Icon = keyof typeof PATHS;

export function iconSheet(): Html {
  const symbols = Object.entries(PATHS).map(
    ([name, path]) => html`<symbol id="i-${name}" viewBox="0 0 16 16">${raw(path)}</symbol>`,
  );
  return html`<svg class="hidden" aria-hidden="true">${symbols}</svg>`;
}

export function icon(name: Icon): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="#i-${name}"/></svg>`;
}
