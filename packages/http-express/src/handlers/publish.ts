import { type IdempotencyKey, type Limits, parseIdempotencyKey } from '@pinfold/core';
import { type ReceivedForm, receiveForm } from '@pinfold/http';
import type { Request } from 'express';
import type { Answer } from '../answer.ts';
import { credentialsOf } from '../credentials.ts';
import type { Call } from '../exchange.ts';
import { hasMediaType } from '../media-type.ts';
import { pinOf } from '../pin.ts';
import { type AnyRefusal, refuseRequest } from '../problem.ts';
import { PublicationForm, type PublicationWish } from '../publication-form.ts';
import { readPublishQuery } from '../query.ts';
import { requestError, wireWarnings } from '../tell.ts';
import type { Handle, Service } from './handler.ts';

/** A publication's form, received whole. */
type Form = ReceivedForm<PublicationWish>;

/** `POST /api/v1/pins`: publishes an archive, or with `?dry_run=true` only checks it. */
export const publish: Handle = async (service, call) => {
  const { exchange } = call;
  const read = readPublishQuery(exchange.request);
  if (read.kind === 'refused') return read;
  if (read.query.dry_run === 'true') return dryRun(service, call);
  const key = idempotencyKey(exchange.request, service.useCases.limits);
  if (typeof key !== 'string') return key;
  const form = await receive(service, call);
  if (form.kind === 'refused') return form;
  return publishForm(service, call, key, form);
};

async function dryRun(service: Service, call: Call): Promise<Answer | AnyRefusal> {
  const { exchange, caller } = call;
  exchange.publishing = false;
  const form = await receive(service, call);
  if (form.kind === 'refused') return form;
  const outcome = await service.useCases.publish.check(caller.account, form.archive);
  if (outcome.kind === 'refused') return outcome;
  const { fileCount, size, warnings } = outcome;
  const archive = { file_count: fileCount, size };
  return { status: 200, json: { archive, warnings: wireWarnings(warnings) } };
}

/** Not ended by a client that goes: with the whole body in, a publication runs to its end. */
async function publishForm(
  { useCases, publicUrl }: Service,
  { exchange, caller }: Call,
  key: IdempotencyKey,
  { archive, wish: { filename, title } }: Form,
): Promise<Answer | AnyRefusal> {
  const outcome = await useCases.publish.publish({ account: caller.account, key, filename, title, archive });
  if (outcome.kind === 'refused') return outcome;
  const { role, warnings } = outcome;
  exchange.role = role.id;
  const json = {
    pin: pinOf(role, publicUrl, useCases.clock.now()),
    warnings: wireWarnings(warnings),
  };
  return outcome.kind === 'published'
    ? { status: 201, headers: { Location: `${publicUrl}/api/v1/pins/${role.id}` }, json }
    : { status: 200, headers: { 'Idempotent-Replayed': 'true' }, json };
}

async function receive(
  { useCases: { staging, clock, limits }, uploads, bodyTimeouts }: Service,
  { exchange: { request, signal }, caller }: Call,
): Promise<Form | AnyRefusal> {
  if (!hasMediaType(request, 'multipart/form-data')) return refuseRequest('unsupported_media_type');
  const options = { staging, archiveBytes: limits.archiveBytes, clock, ...bodyTimeouts };
  return await uploads.take(caller.account, signal, () =>
    receiveForm(request, new PublicationForm(limits), options),
  );
}

function idempotencyKey(request: Request, limits: Limits): IdempotencyKey | AnyRefusal {
  const sent = request.headersDistinct['idempotency-key'] ?? [];
  const [value] = sent;
  if (value === undefined) return refuseRequest('idempotency_key_required');
  if (sent.length > 1) {
    return refuseRequest('invalid_idempotency_key', { errors: [requestError({ rule: 'twice' })] });
  }
  return parseIdempotencyKey(value, limits, credentialsOf(request));
}
