import type { IncomingHttpHeaders } from 'node:http';

/** Whether a browser opens the address as a page of its own, rather than as a frame or part of a page. */
export function isDocument(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === undefined ? isNavigation(headers.accept) : destination === 'document';
}

/** Whether the Accept header asks for a page, as browsers do on navigation. */
export function isNavigation(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true;
}

/** Whether a browser asks for the script of a service worker (Service Workers, "Service-Worker: script"). */
export function isServiceWorker(headers: IncomingHttpHeaders): boolean {
  return headers['service-worker'] === 'script' || headers['sec-fetch-dest'] === 'serviceworker';
}
