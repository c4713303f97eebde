import type { IncomingMessage } from 'node:http';

/** What can be asked for headers: adapters of serverless platforms fill in only some of what Node does. */
type WithHeaders = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'headersDistinct'>>;

/**
 * Returns the values of a header, one for each line. Falls back to `headers`, which joins lines, where the request was
 * not made by node:http and has no `headersDistinct`.
 *
 * @param name in lower case.
 */
export function headerValues({ headers, headersDistinct }: WithHeaders, name: string): readonly string[] {
  const distinct = headersDistinct?.[name];
  if (distinct !== undefined) return distinct;
  const joined = headers[name];
  return joined === undefined ? [] : [joined].flat();
}

/** Throws unless a request and its response look like those of node:http. */
export function expectNodeRequest(request: object, response: object): void {
  const isRequest = 'headers' in request && !(request.headers instanceof Headers);
  if (isRequest && 'writeHead' in response) return;
  throw new TypeError(
    'Pinfold needs a request and a response of node:http, and got others, such as the Request of the Fetch API. Use an adapter that makes them.',
  );
}
