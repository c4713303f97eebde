import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpSubject } from '@pinfold/test-contracts';
import { openService, type Spoiling, type Tamper } from '../http-viewing/service.ts';
import type { Saboteur } from '../sabotage.ts';

type Json = Record<string, unknown>;

/** An answer of the API on its way out. */
export interface Outgoing {
  status: number;
  readonly headers: Record<string, string | number>;
  /** The body's JSON; empty when there is none. */
  json: Json;
}

/** What an answer was asked by, as it came: routers change the URL of a request on its way. */
export type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'complete'>;

/** A small limit, so that what is too large is not large. */
const ARCHIVE_BYTES = 300_000;

/** Opens a service for the clauses of the API. */
export function openApi(spoiling: Spoiling = {}): Promise<HttpSubject> {
  return openService('origin', { ...spoiling, limits: { archiveBytes: ARCHIVE_BYTES, ...spoiling.limits } });
}

/** Makes a saboteur of the API. */
export function saboteur(
  breaks: string,
  how: string,
  spoiling: Spoiling,
  alsoFails: readonly string[] = [],
): Saboteur<HttpSubject> {
  return {
    breaks: `http/${breaks}`,
    how,
    alsoFails: alsoFails.map((id) => `http/${id}`),
    open: () => () => openApi(spoiling),
  };
}

/** A saboteur that changes answers. */
export function changing(
  breaks: string,
  how: string,
  change: (answer: Outgoing, asked: Asked) => void,
  alsoFails?: readonly string[],
): Saboteur<HttpSubject> {
  return saboteur(breaks, how, { tamper: () => changingAnswers(change) }, alsoFails);
}

/** Changes answers before they go out. Other answers than the API's, which come otherwise, are left alone. */
export function changingAnswers(change: (answer: Outgoing, asked: Asked) => void): Tamper {
  return (request, response) => {
    const { writeHead, write, end, flushHeaders } = response;
    const { method, url, headers } = request;
    let head: Omit<Outgoing, 'json'> | undefined;
    const out = (content?: Uint8Array): Buffer | undefined => {
      if (head === undefined) return undefined;
      const json = content === undefined ? {} : (JSON.parse(Buffer.from(content).toString()) as Json);
      const answer = { ...head, json };
      head = undefined;
      change(answer, { method, url, headers, complete: request.complete });
      const body = content === undefined ? undefined : Buffer.from(JSON.stringify(answer.json));
      if (body !== undefined && 'Content-Length' in answer.headers)
        answer.headers['Content-Length'] = body.byteLength;
      writeHead.call(response, answer.status, answer.headers as never);
      return body;
    };
    response.writeHead = ((status: number, given: Outgoing['headers']) => {
      head = { status, headers: { ...given } };
      return response;
    }) as ServerResponse['writeHead'];
    response.flushHeaders = () => {
      out();
      flushHeaders.call(response);
    };
    response.write = ((content: Uint8Array) =>
      write.call(response, out(content) ?? content, 'utf8')) as never;
    response.end = ((content?: Uint8Array) => {
      const empty = content === undefined || content.byteLength === 0;
      const body = out(empty ? undefined : content);
      return end.call(response, body, 'utf8');
    }) as never;
  };
}

/** Makes an answer another problem. */
export function becomes(answer: Outgoing, status: number, code: string): void {
  answer.status = status;
  Object.assign(answer.json, { status, code, type: `urn:pinfold:problem:${code}` });
}

/** The pin in an answer. */
export function pinIn({ json }: Outgoing): Json {
  return json.pin as Json;
}

/** Whether an answer is this one's, to a request of this method. */
export function is(answer: Outgoing, request: Asked, method: string, status: number): boolean {
  return request.method === method && answer.status === status;
}
