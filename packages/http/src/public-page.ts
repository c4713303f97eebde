import { type Html, html } from './html.ts';

/** What the pages of a service have in common for people who only follow a link. */
export interface PublicPage {
  /** The service's name, in previews of links. */
  readonly name: string;
  /** Where a page can be reported: http, https or mailto. Absent: nowhere. */
  readonly reportUrl?: string | undefined;
}

/** The policy's part for {@link publicHead}: the icon is in the page. */
export const PUBLIC_IMAGES = 'img-src data:';

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3f5bd8"/><path d="M18.6 6.2 25.8 13.4 23.2 14.8 18.9 19.1 18.4 24 8 13.6l4.9-.5 4.3-4.3zM12.6 18.4 7 24" fill="none" stroke="#fff" stroke-width="2.2"/></svg>',
)}`;

/** Favicon and link preview of a public page. The preview names the service and nothing of a publication. */
export function publicHead({ name }: PublicPage): Html {
  return html`<link rel="icon" href="${FAVICON}" type="image/svg+xml">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${name}">
<meta property="og:type" content="website">`;
}

/** @throws TypeError unless the address is http, https or mailto. */
export function checkReportUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (URL.canParse(url) && /^(?:https?|mailto):$/.test(new URL(url).protocol)) return url;
  throw new TypeError('reportUrl must be an address of http, https or mailto');
}
