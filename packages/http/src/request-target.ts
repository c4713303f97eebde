import type { IncomingMessage } from 'node:http';

/** A request target in origin form, and the host that it is for (RFC 9112, section 3.2). */
export interface RequestTarget {
  /** Begins with `/`, and has its query. */
  readonly path: string;
  readonly host: string | undefined;
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/(?!:)([^/?#@]+)(?:$|(?=[/?]))/i;

/**
 * Reads a request target. In absolute form its host counts, and not the Host header (section 3.2.2).
 * `undefined`: neither form, another scheme, or a user's name before the host.
 */
export function readTarget(target: string, host: string | undefined): RequestTarget | undefined {
  if (target.charCodeAt(0) === SLASH) return { path: target, host };
  const [start, authority] = ABSOLUTE.exec(target) ?? [];
  if (start === undefined) return undefined;
  const rest = target.slice(start.length);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: authority };
}

/** Gives a request in absolute form the origin form and the Host header of it. Returns false if its target is unreadable. */
export function takeOriginForm(request: IncomingMessage): boolean {
  const { url = '', headers } = request;
  if (url.charCodeAt(0) === SLASH) return true;
  const target = readTarget(url, headers.host);
  if (target === undefined) return false;
  request.url = target.path;
  headers.host = target.host;
  return true;
}
