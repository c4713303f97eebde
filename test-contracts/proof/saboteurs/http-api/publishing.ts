import { setImmediate } from 'node:timers/promises';
import { Fault, type Fingerprint } from '@pinfold/core';
import type { HttpSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { retargeting } from '../http-viewing/tampers.ts';
import type { Saboteur } from '../sabotage.ts';
import { becomes, changing, changingAnswers, is, openApi, pinIn, saboteur } from './answers.ts';

/** What is wrong with publications. */
export const publishingSaboteurs: readonly Saboteur<HttpSubject>[] = [
  changing('publish-created', 'Location leads to a folder', ({ headers }) => {
    if (headers.Location !== undefined) headers.Location = `${headers.Location}/`;
  }),
  changing('title', 'titles are trimmed', (answer, request) => {
    if (is(answer, request, 'POST', 201)) pinIn(answer).title = trimmed(pinIn(answer).title);
  }),
  changing('filename', 'filename goes before filename*', (answer, request) => {
    if (!is(answer, request, 'POST', 201)) return;
    const pin = pinIn(answer);
    if (pin.original_filename === 'new.zip') pin.original_filename = 'old.zip';
  }),
  changing('warnings', 'a replay has no warnings', ({ headers, json }) => {
    if (headers['Idempotent-Replayed'] !== undefined) json.warnings = [];
  }),
  saboteur('dry-run', 'a dry run publishes', {
    tamper: () => retargeting((target) => target.replace('?dry_run=true', '')),
  }),
  saboteur('archive-size', 'one byte too many is taken', {
    limits: { archiveBytes: 300_001 },
    tamper: () =>
      changingAnswers(({ json }, { url }) => {
        if (url === '/api/v1/limits') Object.assign(json.limits ?? {}, { archive_bytes: 300_000 });
      }),
  }),
  changing('form', 'a field that comes twice is a broken request', (answer) => {
    if (firstRule(answer.json) === 'field_twice') becomes(answer, 400, 'invalid_request');
  }),
  saboteur('media-type', 'a patch of another type is taken for JSON', {
    tamper: () => (request) => {
      if (request.headers['content-type'] === 'application/merge-patch+json') {
        request.headers['content-type'] = 'application/json';
      }
    },
  }),
  changing('broken-request', 'JSON that is too long is no update', (answer, request) => {
    const isLong = Number(request.headers['content-length']) > 16_384;
    if (is(answer, request, 'PATCH', 400) && isLong) becomes(answer, 422, 'invalid_update');
  }),
  changing('invalid-archive', 'only the first broken rule is told', ({ json }) => {
    if (json.code === 'invalid_archive') json.errors = (json.errors as unknown[]).slice(0, 1);
  }),
  saboteur('idempotency-key', 'a key in other than ASCII is taken', {
    tamper: () => (request) => {
      const { headersDistinct } = request;
      const [key = ''] = headersDistinct['idempotency-key'] ?? [];
      if (/[\x80-\xff]/.test(key)) headersDistinct['idempotency-key'] = ['transliterated'];
      Object.defineProperty(request, 'headersDistinct', { value: headersDistinct });
    },
  }),
  changing('order-publish', 'the scope is looked at after the Idempotency-Key', (answer, request) => {
    const isKeyless = request.headers['idempotency-key'] === '';
    if (is(answer, request, 'POST', 403) && isKeyless) becomes(answer, 400, 'invalid_idempotency_key');
  }),
  changing('order-update', 'an id is looked at before the members', (answer, request) => {
    const isUnknown = request.url === '/api/v1/pins/none';
    if (is(answer, request, 'PATCH', 422) && isUnknown) becomes(answer, 404, 'not_found');
  }),
  changing('early-answer', 'an early answer does not tell its length', ({ headers }, { complete }) => {
    if (!complete) delete headers['Content-Length'];
  }),
];

/** What is wrong with Idempotency-Keys. */
export const idempotencySaboteurs: readonly Saboteur<HttpSubject>[] = [
  changing('replay', 'a replay does not say that it is one', ({ headers }) => {
    delete headers['Idempotent-Replayed'];
  }),
  saboteur('mismatch', 'the file name is not compared', {
    ports:
      () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          reserve: (request) => {
            const [sha256, , title] = JSON.parse(request.fingerprint) as unknown[];
            const fingerprint = JSON.stringify([sha256, '', title]) as Fingerprint;
            return roles.reserve({ ...request, fingerprint });
          },
        }),
      }),
  }),
  saboteur(
    'key-freed',
    'a refused archive keeps its key',
    {
      ports:
        () =>
        ({ roles }) => ({ roles: replacing(roles, { release: async () => {} }) }),
    },
    ['order-publish'],
  ),
  saboteur('parallel', 'of many at once, who comes late publishes too, or waits too long', {
    tamper: () =>
      whileMany(5, (answer) => {
        if (answer.json.code === 'idempotency_in_progress') answer.headers['Retry-After'] = '60';
        if (answer.headers['Idempotent-Replayed'] !== undefined) answer.status = 201;
      }),
  }),
  saboteur('parallel-mismatch', 'of many at once, other content is taken for the same', {
    tamper: () =>
      whileMany(5, (answer) => {
        if (answer.json.code === 'idempotency_mismatch') becomes(answer, 409, 'idempotency_in_progress');
      }),
  }),
  {
    breaks: 'http/client-gone',
    how: 'a publication ends with its client',
    open: () => () => openApi(endingWithTheClient()),
  },
];

/** Changes answers that others of the same kind are waiting beside. */
function whileMany(
  many: number,
  change: Parameters<typeof changingAnswers>[0],
): ReturnType<typeof changingAnswers> {
  let most = 0;
  let running = 0;
  const tamper = changingAnswers((answer, request) => {
    if (request.method === 'POST' && most >= many) change(answer, request);
  });
  return (request, response) => {
    if (request.method === 'POST') {
      running += 1;
      most = Math.max(most, running);
      response.once('close', () => {
        running -= 1;
        if (running === 0) most = 0;
      });
    }
    tamper(request, response);
  };
}

/** Waits before it stores an archive, and stores none whose client has gone meanwhile. */
function endingWithTheClient(): Parameters<typeof openApi>[0] {
  let gone = false;
  return {
    tamper: () => (request, response) => {
      response.once('close', () => {
        gone ||= request.complete && !response.writableEnded;
      });
    },
    ports:
      () =>
      ({ archives }) => ({
        archives: replacing(archives, {
          put: async (...inputs) => {
            for (let turn = 0; turn < 50 && !gone; turn += 1) await setImmediate();
            if (gone) throw new Fault('storage_unavailable', 'the client has gone');
            return archives.put(...inputs);
          },
        }),
      }),
  };
}

function firstRule(json: Record<string, unknown>): unknown {
  return (json.errors as readonly { readonly rule: string }[] | undefined)?.[0]?.rule;
}

function trimmed(title: unknown): unknown {
  return typeof title === 'string' ? title.trim() : title;
}
