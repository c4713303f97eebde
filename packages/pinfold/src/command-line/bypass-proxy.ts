const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * Lets requests to this machine go there. With `NODE_USE_ENV_PROXY`, Node sends them to the proxy of `HTTP_PROXY`, and
 * with them the key of a server on this machine.
 *
 * @param env the environment of the process: Node reads it at each request.
 */
export function bypassProxy(env: Record<string, string | undefined>): void {
  // Node uses the variable in lower case if both exist.
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const exclusions = env[name]?.trim();
  if (exclusions !== '*') env[name] = exclusions ? `${exclusions},${LOOPBACK}` : LOOPBACK;
}
