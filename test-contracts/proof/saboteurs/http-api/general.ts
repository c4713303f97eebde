import type { HttpService, HttpSubject } from '@pinfold/test-contracts';
import type { Saboteur } from '../sabotage.ts';
import { becomes, changing, changingAnswers, is, openApi, pinIn, saboteur } from './answers.ts';

/** What is wrong with every answer. */
export const generalSaboteurs: readonly Saboteur<HttpSubject>[] = [
  changing('unauthorized', 'an unknown key is told otherwise than a malformed one', (answer, request) => {
    const isKey = request.headers.authorization?.startsWith('Bearer pf_') === true;
    if (answer.status === 401 && isKey) answer.json.detail = 'There is no such key.';
  }),
  changing('forbidden', 'who may not stop finds nothing to stop', (answer, request) => {
    if (is(answer, request, 'DELETE', 403)) becomes(answer, 404, 'not_found');
  }),
  changing('routes', 'HEAD is not said to be allowed', ({ headers }) => {
    if (headers.Allow !== undefined) headers.Allow = String(headers.Allow).replace('HEAD, ', '');
  }),
  changing('answers', 'a request id is taken from the client', ({ headers }, request) => {
    headers['X-Request-Id'] = String(request.headers['x-request-id'] ?? headers['X-Request-Id']);
  }),
  changing('head', 'HEAD says that there is nothing', ({ headers }, { method }) => {
    if (method === 'HEAD') headers['Content-Length'] = 0;
  }),
  changing('problems', 'a refused title is said to need a new key', ({ json }) => {
    if (json.code === 'invalid_title') json.suggestion = 'Send it with a new Idempotency-Key.';
  }),
  changing('urls', 'Location leads to the forwarded host', ({ headers }, request) => {
    const host = request.headers['x-forwarded-host'];
    if (host === undefined || headers.Location === undefined) return;
    headers.Location = String(headers.Location).replace(/\/\/[^/]+/, `//${String(host)}`);
  }),
  changing('document', 'the document is of an older form', ({ json }) => {
    if (json.openapi !== undefined) json.openapi = '3.0.3';
  }),
];

/** A subject whose service is another in some members. */
function serving(breaks: string, how: string, members: Partial<HttpService>, alsoFails: readonly string[]) {
  return {
    breaks: `http/${breaks}`,
    how,
    alsoFails,
    open: () => async () => {
      const subject = await openApi();
      return { ...subject, port: { ...subject.port, ...members } };
    },
  } satisfies Saboteur<HttpSubject>;
}

/** What is wrong with subjects. */
export const harnessSaboteurs: readonly Saboteur<HttpSubject>[] = [
  {
    breaks: 'http/harness-apart',
    how: 'all subjects are one',
    open: () => {
      const only = openApi();
      let disposed: Promise<void> | undefined;
      return async () => {
        const subject = await only;
        return {
          ...subject,
          dispose: () => {
            disposed ??= subject.dispose();
            return disposed;
          },
        };
      };
    },
  },
  saboteur('harness-peer', 'a peer finds no role by its key', {
    tamperWithPeers: () =>
      changingAnswers(({ json }, { url = '' }) => {
        if (url.includes('?idempotency_key=')) json.pins = [];
      }),
  }),
  saboteur('harness-clock', 'the clock of a peer stands still', {
    tamperWithPeers: () =>
      changingAnswers((answer, request) => {
        if (is(answer, request, 'POST', 201)) pinIn(answer).published_at = '2026-11-20T12:00:00.000Z';
      }),
  }),
  serving('harness-keys', 'unpinning does nothing', { unpin: async () => {} }, ['http/pinned']),
];
