const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/** Keeps Node's `NODE_USE_ENV_PROXY` from sending requests for this machine, and its key, to the proxy. */
export function bypassProxy(env: Record<string, string | undefined>): void {
  // Node uses the variable in lower case if both exist.
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const given = env[name]?.trim();
  if (given !== '*') env[name] = given ? `${given},${LOOPBACK}` : LOOPBACK;
}
