import {
  type PinName,
  type PublishOutcome,
  type PublishRequest,
  parseName,
  type RefusalCode,
  type Title,
} from '@pinfold/core';
import { publicationLimitsOf } from '@pinfold/core/adapter';
import { discardQuietly } from '@pinfold/core/internal';
import {
  addRateHeaders,
  hashOnly,
  type ReceivedForm,
  type ReceiveFile,
  receiveForm,
  receiveInto,
} from '@pinfold/http/internal';
import { WARNING_RULES } from '@pinfold/http/internal/texts';
import { type AccountCall, type Outcome, writingEndpoint } from '../endpoint.ts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';
import { wireWarnings } from '../problems/problem-details.ts';
import {
  idempotencyKeyOf,
  type PublicationFields,
  PublicationForm,
  passwordOf,
} from '../reading/publication-form.ts';
import { hasMediaType } from '../reading/request-body.ts';
import * as T from '../schema.ts';
import type { ApiUseCases, Service } from '../service.ts';
import { publicationsLeft } from '../wire/limits.ts';
import { exampleName, nameOf, nameSchema } from '../wire/name.ts';
import { examplePin, pinOf, pinSchema } from '../wire/pin.ts';

/** Refusals by the rate of publications, or after it was checked. */
const AFTER_RATE_CHECK: ReadonlySet<RefusalCode> = new Set([
  'invalid_archive',
  'quota_exceeded',
  'rate_limited',
  'refused_by_host',
]);

type Form = ReceivedForm<PublicationFields & { readonly title: Title | null }>;

const warning = T.named('Warning', () =>
  T.object({
    rule: T.oneOf(WARNING_RULES),
    detail: T.string(),
    path: T.optional(T.string({ description: 'The file in which it was seen.' })),
  }),
);
const warnings = T.named('Warnings', () => T.array(warning, { maxItems: 20 }));
const name = T.optional(
  T.nullable(nameSchema, {
    description: 'Only if a name was requested: as it is now, or null if it was deleted since.',
  }),
);
const publicationAnswer = T.named('Publication', () => T.object({ pin: pinSchema, warnings, name }));
const dryRunAnswer = T.named('DryRun', () =>
  T.object({
    pin: T.nullOnly('Nothing was published.'),
    archive: T.object({
      file_count: T.count('Files of the site.'),
      size: T.count('Their bytes, expanded.'),
    }),
    warnings,
    name: T.optional(T.nullOnly('Only if a name was requested.')),
  }),
);

const form = T.named('PublishForm', ({ titleCharacters, archiveBytes }) =>
  T.closedObject({
    archive: T.string({
      contentMediaType: 'application/zip',
      description: `The site as a ZIP of at most ${archiveBytes} bytes, sent as a file with its name.`,
    }),
    title: T.optional(T.string({ maxLength: titleCharacters, description: 'Empty means none.' })),
  }),
);

export const publishPin = writingEndpoint({
  method: 'POST',
  path: '/api/v1/pins',
  id: 'publishPin',
  summary: 'Publish a ZIP as a shared URL',
  description:
    'Send one Idempotency-Key for each logical publication, and the very same request with the same key to retry. ' +
    'Only success binds the key: after a refusal you can use it for a corrected request.',
  headers: ({ idempotencyKeyCharacters, passwordMinCharacters, passwordMaxBytes }) => [
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        `1 to ${idempotencyKeyCharacters} characters of printable ASCII that contain no secret. Double quotes around ` +
        'them are allowed. Required unless dry_run is true.',
      schema: T.string({ minLength: 1 }),
      example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
    },
    {
      name: 'Pinfold-Password',
      in: 'header',
      description:
        `Protects the site from its first instant: at least ${passwordMinCharacters} characters and at most ` +
        `${passwordMaxBytes} bytes in UTF-8, percent-encoded as encodeURIComponent does it. A replay ignores it.`,
      schema: T.string({ minLength: 1 }),
      example: 'correct%20horse%20battery',
    },
  ],
  query: {
    dry_run: {
      description: 'Only checks the archive; nothing is stored, and no Idempotency-Key is needed.',
      schema: T.oneOf(['true', 'false'], { default: 'false' }),
    },
    name: {
      description:
        'A name of the account that shows the publication from its commit on; it is created if it is new. ' +
        '1 to 63 of `a` to `z`, `0` to `9` and `-`, without `-` at an end. A replay moves no name.',
      schema: T.string(),
    },
  },
  body: {
    mediaType: 'multipart/form-data',
    content: { schema: form, encoding: { archive: { contentType: 'application/zip' } } },
  },
  // Decided before the caller is known, so without reading thousands of parameters.
  publishes: ({ url }) => !/[?&]dry_run=true(?:&|$)/.test(url),
  codes: [
    'quota_exceeded',
    'idempotency_key_required',
    'invalid_idempotency_key',
    'request_timeout',
    'idempotency_mismatch',
    'idempotency_in_progress',
    'archive_too_large',
    'unsupported_media_type',
    'invalid_form',
    'invalid_title',
    'invalid_name',
    'invalid_password',
    'invalid_archive',
  ],
  answers: ({ publicUrl }) => {
    const warnings = wireWarnings([{ rule: 'broken_reference', path: 'index.html', target: 'img/logo.png' }]);
    const published = { pin: examplePin(publicUrl), warnings };
    return {
      201: {
        description: 'Published.',
        schema: publicationAnswer,
        examples: { published, to_a_name: { ...published, name: exampleName(publicUrl) } },
        headers: ['Location'],
      },
      200: {
        description:
          'A replay: the publication was already complete, and the answer has its current state. Or a dry run that found no errors.',
        schema: T.either(publicationAnswer, dryRunAnswer),
        examples: {
          replayed: published,
          dry_run: { pin: null, archive: { file_count: 12, size: 348_160 }, warnings },
        },
        headers: ['Idempotent-Replayed'],
      },
    };
  },
  handle: async (service, call, { query }) => {
    const { limits } = service.useCases;
    const name = query.name === undefined ? undefined : parseName(query.name);
    if (typeof name === 'object') return name;
    const isDryRun = query.dry_run === 'true';
    const key = isDryRun ? undefined : idempotencyKeyOf(call.request, limits);
    if (typeof key === 'object') return key;
    const password = passwordOf(call.request, limits);
    if (typeof password === 'object') return password;
    if (key === undefined) return dryRun(service, call, name);
    // A complete key stays complete, so a repeated upload is only compared by its hash and need not be stored.
    const { findByKey, staging } = service.useCases;
    const isRepeated = (await findByKey({ by: call.caller.account, key })) !== undefined;
    const form = await receiveUpload(service, call, isRepeated ? hashOnly : receiveInto(staging));
    if (form.kind === 'refused') return form;
    return publishForm(service, call, { key, name: name ?? null, password: password ?? null }, form);
  },
});

async function dryRun(service: Service, call: AccountCall, name: PinName | undefined): Promise<Outcome> {
  const form = await receiveUpload(service, call, receiveInto(service.useCases.staging));
  if (form.kind === 'refused') return form;
  const outcome = await service.useCases.check({ by: call.caller.account, archive: form.archive });
  if (outcome.kind === 'refused') return outcome;
  const { fileCount, size, warnings } = outcome;
  const archive = { file_count: fileCount, size };
  const nameMember = name === undefined ? {} : { name: null };
  return { status: 200, json: { pin: null, archive, warnings: wireWarnings(warnings), ...nameMember } };
}

/** Publishes a complete form, even if the client disconnects meanwhile. */
async function publishForm(
  { useCases, publicUrl }: Service,
  call: AccountCall,
  sent: Pick<PublishRequest, 'key' | 'name' | 'password'>,
  { archive, fields: { filename, title } }: Form,
): Promise<Outcome> {
  const { caller, cause, credential } = call;
  const author = { by: caller.account, cause, credential };
  const outcome = await useCases.publish({ ...author, ...sent, filename, title, archive });
  if (wasRateChecked(outcome)) await addPublicationRate(useCases, call);
  if (outcome.kind === 'refused') return outcome;
  const { publication, warnings } = outcome;
  const json = {
    pin: pinOf(publication, publicUrl),
    warnings: wireWarnings(warnings),
    ...(outcome.name === undefined ? {} : { name: outcome.name && nameOf(outcome.name, publicUrl) }),
  };
  const role = publication.id;
  return outcome.kind === 'published'
    ? { status: 201, headers: { Location: `${publicUrl}/api/v1/pins/${role}` }, json, role }
    : { status: 200, headers: { 'Idempotent-Replayed': 'true' }, json, role };
}

/** Whether the rate was checked: it is not if the key alone decides, nor for content that was taken down. */
function wasRateChecked(outcome: PublishOutcome): boolean {
  if (outcome.kind !== 'refused') return outcome.kind === 'published';
  if (outcome.code === 'invalid_archive' && outcome.problems[0]?.rule === 'forbidden_content') return false;
  return AFTER_RATE_CHECK.has(outcome.code);
}

async function addPublicationRate(
  { accounts, clock, quotasOf }: ApiUseCases,
  { caller, response }: AccountCall,
): Promise<void> {
  const account = (await accounts.load(caller.account))?.value;
  const now = clock.now();
  const left = publicationsLeft(account, publicationLimitsOf(account, await quotasOf(caller.account)), now);
  if (left !== null) addRateHeaders(response, 'publications', left, now);
}

async function receiveUpload(
  { useCases: { clock, limitsOf }, uploads, bodyTimeouts }: Service,
  { request, signal, caller, again }: AccountCall,
  receive: ReceiveFile,
): Promise<Form | AnyRefusal> {
  if (!hasMediaType(request, 'multipart/form-data')) return refuseRequest('unsupported_media_type');
  const limits = await limitsOf(caller.account);
  const options = { receive, archiveBytes: limits.archiveBytes, clock, ...bodyTimeouts };
  const form = await uploads.take(caller.account, signal, (follow) =>
    receiveForm(request, new PublicationForm(limits, request.headers['content-type']), {
      ...options,
      follow,
    }),
  );
  return form.kind === 'refused' ? form : await checkForm(form, again);
}

/** Authenticates the caller again and checks the title; discards the archive if either is refused. */
async function checkForm(
  { archive, fields: { filename, title } }: ReceivedForm<PublicationFields>,
  again: AccountCall['again'],
): Promise<Form | AnyRefusal> {
  let isHandedOver = false;
  try {
    const refused = await again();
    if (refused !== undefined) return refused;
    if (title !== null && typeof title !== 'string') return title;
    isHandedOver = true;
    return { kind: 'received', archive, fields: { filename, title } };
  } finally {
    if (!isHandedOver) await discardQuietly(archive);
  }
}
