import type { OpenedArchive } from '@pinfold/core';
import { archiveAnswer } from '@pinfold/http/internal';
import {
  type Call,
  type DescribedAnswer,
  type Outcome,
  operatorEndpoint,
  writingEndpoint,
} from '../endpoint.ts';
import { refuseRequest } from '../problems/problem.ts';
import { refusedBy } from '../problems/problem-details.ts';
import * as T from '../schema.ts';
import type { Service } from '../service.ts';
import { refuseWhereTeamDecides } from './create-grant.ts';
import { pinId } from './path-parameters.ts';

const zip = T.string({ contentMediaType: 'application/zip', description: 'The bytes of the ZIP.' });

const HEADERS: readonly T.JsonObject[] = [
  {
    name: 'Range',
    in: 'header',
    description: 'One range of bytes. For several, the answer is the whole ZIP.',
    schema: T.string(),
    example: 'bytes=1048576-',
  },
  {
    name: 'If-Range',
    in: 'header',
    description: 'An ETag. If it no longer matches, the answer is the whole ZIP.',
    schema: T.string(),
  },
  {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of ZIPs that you have. If one matches, the answer is 304.',
    schema: T.string(),
  },
];

const ANSWERS: Readonly<Record<number, DescribedAnswer>> = {
  200: {
    description: 'The ZIP.',
    mediaType: 'application/zip',
    schema: zip,
    headers: ['ETag', 'Accept-Ranges', 'Content-Disposition'],
  },
  206: {
    description: 'The part of the ZIP that Range requests.',
    mediaType: 'application/zip',
    schema: zip,
    headers: ['ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'],
  },
  304: { description: 'You have it: If-None-Match names its ETag.', headers: ['ETag', 'Accept-Ranges'] },
  412: { description: 'If-Match names another ETag.' },
  416: { description: 'The ZIP has no such bytes.', headers: ['Content-Range'] },
};

/** The common options of both operations. */
const COMMON_OPTIONS = {
  method: 'GET',
  parameter: pinId,
  headers: () => HEADERS,
  codes: ['invalid_state'],
  answers: () => ANSWERS,
} as const;

export const readArchive = writingEndpoint({
  ...COMMON_OPTIONS,
  path: '/api/v1/pins/{id}/archive',
  id: 'readArchive',
  summary: 'Download the ZIP as it was uploaded',
  description:
    'Byte for byte, as long as it is stored: for an expired publication until its archive is removed, for a stopped one never. ' +
    'It also works while the service is read-only, and for a blocked account. A download ends within a MiB when the ' +
    'publication is stopped or the key is revoked. A range that the ZIP does not have is 416, without a body.',
  needs: 'archives',
  costsAsChange: true,
  handle: async (service, call, { pathValue: id }) => {
    if (service.openArchive === undefined) return refuseRequest('not_found');
    const opened = await service.openArchive({ by: call.caller.account, id, signal: call.signal });
    if (opened.kind === 'opened') return await answerWith(opened, service, call);
    return opened.code === 'forbidden' ? refuseWhereTeamDecides() : refusedBy(opened, 'archive');
  },
});

export const readAnyArchive = operatorEndpoint({
  ...COMMON_OPTIONS,
  path: '/admin/v1/pins/{id}/archive',
  id: 'readAnyArchive',
  summary: 'Download the ZIP of a publication of any account in any state',
  description:
    'Byte for byte, as long as it is stored. An answer with bytes is recorded as `pin.archive_read`, at most once a minute ' +
    'for each caller and publication. A range that the ZIP does not have is 416, without a body.',
  handle: async (service, call, { pathValue: id }) => {
    const { administration, cause, signal } = call;
    const opened = await administration.openArchive({ id, cause, signal });
    return opened.kind === 'opened' ? await answerWith(opened, service, call) : refusedBy(opened, 'archive');
  },
});

async function answerWith(
  opened: OpenedArchive,
  { clientAddress }: Service,
  { request, response, signal, authenticateAgain }: Call,
): Promise<Outcome> {
  const answer = await archiveAnswer(opened, {
    request,
    response,
    client: clientAddress(request),
    signal,
    isStillAllowed: async () => (await authenticateAgain()) === undefined,
  });
  return 'code' in answer ? refusedBy(answer, 'archive') : answer;
}
