import {
  type IdempotencyKey,
  type Limits,
  type PublishOutcome,
  parseIdempotencyKey,
  type RefusalCode,
  type Staging,
  type Title,
} from '@pinfold/core';
import { boundsOf, discardQuietly } from '@pinfold/core/adapter';
import { hashOnly, headerValues, type ReceivedForm, receiveForm } from '@pinfold/http';
import type { Request } from 'express';
import { credentialsOf } from '../authentication.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { requestError, wireWarnings } from '../problems/tell.ts';
import { hasMediaType } from '../reading/media-type.ts';
import { PublicationForm, type PublicationWish } from '../reading/publication-form.ts';
import type { PublishQuery } from '../reading/query.ts';
import type { ApiUseCases, Call, Outcome, Service } from '../service.ts';
import { publicationsLeft } from './limits.ts';
import { pinOf } from './pin.ts';

/** What publishing refuses after it looked at the rate, or by it. */
const PAST_THE_KEY: ReadonlySet<RefusalCode> = new Set([
  'invalid_archive',
  'quota_exceeded',
  'rate_limited',
  'refused_by_host',
]);

/** A publication's form, received whole from a caller who still may publish. */
type Form = ReceivedForm<PublicationWish & { readonly title: Title | null }>;

/** `POST /api/v1/pins`: publishes an archive, or with `?dry_run=true` only checks it. */
export async function publish(service: Service, call: Call, { dry_run }: PublishQuery): Promise<Outcome> {
  if (dry_run === 'true') return dryRun(service, call);
  const key = idempotencyKey(call.request, service.useCases.limits);
  if (typeof key !== 'string') return key;
  // A key that has published stays complete for ever: of its repetition only the hash is compared.
  const { findByKey, staging } = service.useCases;
  const isRepeated = (await findByKey({ by: call.caller.account, key })) !== undefined;
  const form = await receive(service, call, isRepeated ? hashOnly : staging);
  if (form.kind === 'refused') return form;
  return publishForm(service, call, key, form);
}

async function dryRun(service: Service, call: Call): Promise<Outcome> {
  const form = await receive(service, call, service.useCases.staging);
  if (form.kind === 'refused') return form;
  const outcome = await service.useCases.check({ by: call.caller.account, archive: form.archive });
  if (outcome.kind === 'refused') return outcome;
  const { fileCount, size, warnings } = outcome;
  const archive = { file_count: fileCount, size };
  return { status: 200, json: { archive, warnings: wireWarnings(warnings) } };
}

/** Not ended by a client that goes: with the whole body in, a publication runs to its end. */
async function publishForm(
  { useCases, publicUrl }: Service,
  call: Call,
  key: IdempotencyKey,
  { archive, wish: { filename, title } }: Form,
): Promise<Outcome> {
  const { caller, cause, credential } = call;
  const who = { by: caller.account, cause, credential };
  const outcome = await useCases.publish({ ...who, key, filename, title, archive });
  if (cameToRate(outcome)) await tellPublications(useCases, call);
  if (outcome.kind === 'refused') return outcome;
  const { publication, warnings } = outcome;
  const json = {
    pin: pinOf(publication, publicUrl),
    warnings: wireWarnings(warnings),
  };
  const role = publication.id;
  return outcome.kind === 'published'
    ? { status: 201, headers: { Location: `${publicUrl}/api/v1/pins/${role}` }, json, role }
    : { status: 200, headers: { 'Idempotent-Replayed': 'true' }, json, role };
}

/** Whether a publication was looked at by its rate: what its key alone decides is not, nor what was taken down. */
function cameToRate(outcome: PublishOutcome): boolean {
  if (outcome.kind !== 'refused') return outcome.kind === 'published';
  if (outcome.code === 'invalid_archive' && outcome.problems[0]?.rule === 'forbidden_content') return false;
  return PAST_THE_KEY.has(outcome.code);
}

async function tellPublications(
  { accounts, clock, quotasOf }: ApiUseCases,
  { caller, rates }: Call,
): Promise<void> {
  const account = (await accounts.load(caller.account))?.value;
  const now = clock.now();
  const left = publicationsLeft(account, boundsOf(account, await quotasOf(caller.account)), now);
  if (left !== null) rates.tell('publications', left, now);
}

async function receive(
  { useCases: { clock, limitsOf }, uploads, bodyTimeouts }: Service,
  { request, signal, caller, again }: Call,
  staging: Pick<Staging, 'receive'>,
): Promise<Form | AnyRefusal> {
  if (!hasMediaType(request, 'multipart/form-data')) return refuseRequest('unsupported_media_type');
  const limits = await limitsOf(caller.account);
  const options = { staging, archiveBytes: limits.archiveBytes, clock, ...bodyTimeouts };
  const form = await uploads.take(caller.account, signal, (follow) =>
    receiveForm(request, new PublicationForm(limits), { ...options, follow }),
  );
  return form.kind === 'refused' ? form : await judged(form, again);
}

/** Authenticates the caller again and looks at the title; an archive that is not to be published is discarded. */
async function judged(
  { archive, wish: { filename, title } }: ReceivedForm<PublicationWish>,
  again: Call['again'],
): Promise<Form | AnyRefusal> {
  let isKept = false;
  try {
    const refused = await again();
    if (refused !== undefined) return refused;
    if (title !== null && typeof title !== 'string') return title;
    isKept = true;
    return { kind: 'received', archive, wish: { filename, title } };
  } finally {
    if (!isKept) await discardQuietly(archive);
  }
}

function idempotencyKey(request: Request, limits: Limits): IdempotencyKey | AnyRefusal {
  const sent = headerValues(request, 'idempotency-key');
  const [value] = sent;
  if (value === undefined) return refuseRequest('idempotency_key_required');
  if (sent.length > 1) {
    return refuseRequest('invalid_idempotency_key', { errors: [requestError({ rule: 'twice' })] });
  }
  return parseIdempotencyKey(value, limits, credentialsOf(request));
}
