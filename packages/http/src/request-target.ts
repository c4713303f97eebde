import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request target in origin form, and its host (RFC 9112, section 3.2). */
export interface RequestTarget {
  /** Begins with `/`, and includes the query. */
  readonly path: string;
  readonly host: string | undefined;
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/(?!:)([^/?#@]+)(?:$|(?=[/?]))/i;

/** The host that headers name: `:authority` of HTTP/2 (RFC 9113, section 8.3.1), or else Host. */
export function hostOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers[':authority'] as string | undefined) ?? headers.host;
}

/**
 * Reads a request target. In absolute form, its host replaces the Host header (section 3.2.2). Returns `undefined` for
 * any other form or scheme, and for credentials before the host.
 */
export function readTarget(target: string, host: string | undefined): RequestTarget | undefined {
  if (target.charCodeAt(0) === SLASH) return { path: target, host };
  const [start, authority] = ABSOLUTE.exec(target) ?? [];
  if (start === undefined) return undefined;
  const rest = target.slice(start.length);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: authority };
}

/** Rewrites a request in absolute form to origin form, with the Host header. Returns false if its target is unreadable. */
export function rewriteToOriginForm(request: IncomingMessage): boolean {
  const { url = '', headers } = request;
  if (url.charCodeAt(0) === SLASH) return true;
  const target = readTarget(url, hostOf(headers));
  if (target === undefined) return false;
  request.url = target.path;
  headers.host = target.host;
  return true;
}
