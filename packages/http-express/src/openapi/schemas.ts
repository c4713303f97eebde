import type { EventType, Limits } from '@pinfold/core';
import { pinSchema } from '../handlers/pin.ts';
import { updateSchema } from '../handlers/update.ts';
import { problemTable } from '../problems/problem-table.ts';
import { WARNING } from '../problems/rule-sentences.ts';
import { count, instant, type JsonObject, nextCursor, object, schemaRef, UUID } from './json-schema.ts';

/** A record, so that a type that is missing here does not compile. */
const EVENT_TYPES: Readonly<Record<EventType, true>> = {
  'pin.published': true,
  'pin.title_changed': true,
  'pin.password_set': true,
  'pin.password_removed': true,
  'pin.renewed': true,
  'pin.pinned': true,
  'pin.unpinned': true,
  'pin.stopped': true,
  'pin.taken_down': true,
  'pin.expired': true,
  'pin.purged': true,
  'key.agreed': true,
  'key.created': true,
  'key.revoked': true,
  'account.blocked': true,
  'account.unblocked': true,
  'account.limits_changed': true,
  'takedown.lifted': true,
  'service.mode_changed': true,
  'session.started': true,
  'session.ended': true,
  'session.refused': true,
  'link.created': true,
};

/** Every schema that answers and requests are made of, with the limits in force. */
export function componentSchemas(limits: Limits, views: boolean): JsonObject {
  return {
    Pin: pinSchema(limits),
    PinAnswer: object({ pin: schemaRef('Pin') }),
    ...(views ? { ViewedPinAnswer: viewedPinSchema() } : {}),
    Publication: object({ pin: schemaRef('Pin'), warnings: schemaRef('Warnings') }),
    DryRun: object({
      archive: object({ file_count: count('Files of the site.'), size: count('Their bytes, expanded.') }),
      warnings: schemaRef('Warnings'),
    }),
    PinList: object({
      pins: { type: 'array', items: schemaRef('Pin'), maxItems: 100, description: 'Newest first.' },
      next_cursor: nextCursor('this as cursor and the same parameters'),
    }),
    EventList: object({
      events: { type: 'array', items: schemaRef('Event'), maxItems: 100, description: 'Newest first.' },
      next_cursor: nextCursor('this as cursor and the same pin'),
    }),
    Event: eventSchema(),
    Warnings: { type: 'array', items: schemaRef('Warning'), maxItems: 20 },
    Warning: warningSchema(),
    LimitsAnswer: object({
      limits: limitsSchema(),
      rates: object({ requests: rateSchema('by this process'), publications: rateSchema('over all nodes') }),
      quotas: object({
        sites: quotaSchema('Publications in service.'),
        bytes: quotaSchema('Bytes of their archives.'),
      }),
    }),
    PublishForm: publishForm(limits),
    Update: updateSchema(limits),
    Problem: problemSchema(),
    ProblemError: problemErrorSchema(),
  };
}

const viewedPinSchema = (): JsonObject => ({
  type: 'object',
  required: ['pin'],
  properties: {
    pin: schemaRef('Pin'),
    views: {
      type: 'array',
      description:
        'There when it was asked for: the last 30 days in UTC, newest first; days on which nothing was counted are left ' +
        'out. What is counted is told within 10 seconds.',
      items: object({
        day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
        views: count('Pages of the site that people opened; files that belong to pages are not counted.'),
        refused_passwords: count('Passwords that were wrong.'),
      }),
    },
  },
});

const eventSchema = (): JsonObject => ({
  type: 'object',
  required: ['id', 'at', 'type', 'account', 'pin', 'actor', 'request'],
  properties: {
    id: { type: 'string', pattern: UUID },
    at: instant(),
    type: { enum: Object.keys(EVENT_TYPES) },
    account: { type: ['string', 'null'] },
    pin: { type: ['string', 'null'], description: 'The publication that it happened to.' },
    actor: object({
      kind: { enum: ['key', 'person', 'operator', 'system'] },
      id: { type: ['string', 'null'], description: 'The id of the key, or the name of who did it.' },
    }),
    request: { type: ['string', 'null'], description: 'The id of the request.' },
    address: { type: 'string', description: 'The client’s, where this service keeps addresses.' },
  },
});

const warningSchema = (): JsonObject => ({
  type: 'object',
  required: ['rule', 'detail'],
  properties: {
    rule: { enum: Object.keys(WARNING) },
    detail: { type: 'string' },
    path: { type: 'string', description: 'The file in which it was seen.' },
  },
});

const limitsSchema = (): JsonObject =>
  object({
    archive_bytes: count('Bytes of the ZIP.'),
    expanded_bytes: count('Bytes of all files, expanded.'),
    files: count('Files of the site.'),
    file_bytes: count('Bytes of one file, expanded.'),
    title_characters: count('Code points of a title.'),
    idempotency_key_characters: count('Characters of an Idempotency-Key.'),
    password_min_characters: count('Code points a password has at least.'),
    password_max_bytes: count('Bytes of a password in UTF-8.'),
    lifetime_days: { type: 'number', exclusiveMinimum: 0, description: 'Days a new publication lives.' },
  });

function rateSchema(counted: string): JsonObject {
  return orNull(
    object({
      limit: count('Burst size; refilled evenly over the window.'),
      window_seconds: { type: 'integer', minimum: 1 },
      remaining: count('How many pass right now.'),
    }),
    `Counted ${counted}; null where there is no bound.`,
  );
}

function quotaSchema(counted: string): JsonObject {
  return orNull(
    object({ limit: count('How much there may be.'), used: count('How much there is.') }),
    `${counted} Null where there is no bound.`,
  );
}

function orNull(schema: JsonObject, description: string): JsonObject {
  return { oneOf: [schema, { type: 'null' }], description };
}

function publishForm({ titleCharacters, archiveBytes }: Limits): JsonObject {
  return {
    type: 'object',
    required: ['archive'],
    additionalProperties: false,
    properties: {
      archive: {
        type: 'string',
        contentMediaType: 'application/zip',
        description: `The site as a ZIP of at most ${archiveBytes} bytes, sent as a file with its name.`,
      },
      title: { type: 'string', maxLength: titleCharacters, description: 'Empty means none.' },
    },
  };
}

const problemSchema = (): JsonObject => ({
  type: 'object',
  description: 'RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'instance', 'retryable', 'suggestion'],
  properties: {
    type: { type: 'string', pattern: '^urn:pinfold:problem:[a-z_]+$' },
    title: { type: 'string', minLength: 1 },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', minLength: 1, description: 'What to do, in one sentence.' },
    code: { enum: [...new Set(Object.values(problemTable).map(({ code }) => code))].sort() },
    instance: { type: 'string', pattern: `^urn:uuid:${UUID.slice(1)}`, description: 'The request id.' },
    retryable: {
      type: 'boolean',
      description: 'Whether the very same request, with the same Idempotency-Key, may succeed later.',
    },
    suggestion: {
      type: 'string',
      minLength: 1,
      description: 'The next step; for a publication also whether to keep the Idempotency-Key.',
    },
    errors: { type: 'array', items: schemaRef('ProblemError'), maxItems: 20 },
    errors_omitted: { type: 'integer', minimum: 0, description: 'How many more errors there are.' },
  },
});

const problemErrorSchema = (): JsonObject => ({
  type: 'object',
  required: ['rule', 'detail'],
  properties: {
    rule: { type: 'string', pattern: '^(?:[a-z_]+|host:.+)$' },
    detail: { type: 'string', minLength: 1 },
    path: { type: 'string', description: 'The entry of the archive it concerns.' },
    limit: { type: 'number' },
    actual: { type: 'number' },
  },
});
