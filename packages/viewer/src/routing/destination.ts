import type { IncomingHttpHeaders } from 'node:http';

/** Whether a person's browser opens the address itself, rather than a page its parts or frames. */
export function isDocument(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined ? isNavigation(headers.accept) : destination === 'document';
}

/** Whether Accept says that a person's browser asks for a page. */
export function isNavigation(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true;
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
