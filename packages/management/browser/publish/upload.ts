import type { Warning } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import type { SentPublication } from '../../src/publication.ts';

/** A publication to upload. Every retry sends the same key, so that it is published once. */
export interface Upload {
  readonly action: string;
  readonly token: string;
  readonly key: string;
  readonly filename: string;
  readonly title?: string | undefined;
  readonly password?: string | undefined;
  readonly name?: string | undefined;
  readonly archive: Blob;
}

export interface Published extends SentPublication {
  readonly kind: 'published' | 'replayed';
  readonly warnings: readonly Warning[];
  /** The requested name, if it shows this publication. */
  readonly name?: { readonly name: string; readonly url: string };
}

export type UploadOutcome =
  | Published
  | { readonly kind: 'problems'; readonly problems: readonly PublishProblem[] }
  /** `message` is the service's own, if it answered that it is busy. */
  | { readonly kind: 'mismatch' | 'signed_out' | 'offline' | 'busy'; readonly message?: string | undefined }
  /** An answer that is not from the service, such as of a proxy that accepts no large uploads. */
  | { readonly kind: 'strange'; readonly status: number; readonly message?: never }
  | { readonly kind: 'refused'; readonly message: string };

interface UploadProgress {
  sent(bytes: number): void;
  arrived(): void;
  waiting(reason: 'broken' | 'in_progress'): void;
}

interface Reply {
  readonly status: number;
  readonly body: { readonly kind?: string; readonly message?: string } | undefined;
}

const PAUSES = [1_000, 2_000, 4_000, 8_000];
const MAX_WAITS = 60;
const TEMPORARY: ReadonlySet<number> = new Set([0, 408, 502, 503, 504]);

export async function upload(
  content: Upload,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  let failures = 0;
  for (let waits = 0; ; ) {
    const reply = await send(content, progress, signal);
    if (reply.body?.kind === 'in_progress' && waits < MAX_WAITS) {
      waits += 1;
      progress.waiting('in_progress');
      await pause(PAUSES[0] ?? 0, signal);
      continue;
    }
    const length = PAUSES[failures];
    if (!TEMPORARY.has(reply.status) || length === undefined) return outcomeOf(reply);
    failures += 1;
    progress.waiting('broken');
    await pause(length, signal);
  }
}

function outcomeOf({ status, body }: Reply): UploadOutcome {
  if (status === 0) return { kind: 'offline' };
  if (status === 401) return { kind: 'signed_out' };
  if (TEMPORARY.has(status) || status === 429 || body?.kind === 'in_progress')
    return { kind: 'busy', message: body?.message };
  return body?.kind === undefined ? { kind: 'strange', status } : (body as UploadOutcome);
}

/** Sends once. Uses XMLHttpRequest, since fetch reports no progress. */
function send(content: Upload, progress: UploadProgress, signal: AbortSignal): Promise<Reply> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => {
      // Aborting fires `loadend`, which would settle this as a lost connection.
      reject(signal.reason);
      request.abort();
    };
    signal.addEventListener('abort', abort, { once: true });
    request.upload.addEventListener('progress', ({ loaded }) =>
      progress.sent(Math.min(loaded, content.archive.size)),
    );
    request.upload.addEventListener('load', () => progress.arrived());
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort);
      resolve({ status: request.status, body: bodyOf(request) });
    });
    request.open('POST', content.action);
    request.responseType = 'json';
    request.setRequestHeader('Accept', 'application/json');
    request.send(formOf(content));
  });
}

/** Puts the token and the key first: the server checks them before it receives the archive. */
function formOf({ token, key, title = '', password = '', name = '', archive, filename }: Upload): FormData {
  const form = new FormData();
  const fields = { form: token, key, title, password, name };
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('archive', archive, filename);
  return form;
}

function bodyOf(request: XMLHttpRequest): Reply['body'] {
  return typeof request.response === 'object' && request.response !== null ? request.response : undefined;
}

export function pause(length: number, signal: AbortSignal): Promise<void> {
  return raceSignal(new Promise((resolve) => setTimeout(resolve, length)), signal);
}
