import { type DescribedAnswer, operatorEndpoint, publicEndpoint } from '../endpoint.ts';
import { string } from '../schema.ts';

const UNCHANGED: DescribedAnswer = {
  description: 'Unchanged since the answer with the ETag that If-None-Match names.',
  headers: ['ETag'],
};

const answers = (): Readonly<Record<number, DescribedAnswer>> => ({
  200: {
    description: 'This document.',
    schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
    headers: ['ETag'],
  },
  304: UNCHANGED,
});

export const readDocument = publicEndpoint({
  method: 'GET',
  path: '/openapi.json',
  id: 'readDocument',
  summary: 'Read this document',
  codes: ['unavailable'],
  answers,
  handle: async ({ documents }, { request }) => documents.api.answer(request.headers),
});

export const readAgentGuide = publicEndpoint({
  method: 'GET',
  path: '/llms.txt',
  id: 'readAgentGuide',
  summary: 'Read what an agent needs to publish here',
  answers: () => ({
    200: {
      description: 'Plain text of less than 600 words, with the limits in force.',
      mediaType: 'text/plain',
      schema: string(),
      headers: ['ETag'],
    },
    304: UNCHANGED,
  }),
  handle: async ({ documents }, { request }) => documents.agentGuide.answer(request.headers),
});

export const readAdminDocument = operatorEndpoint({
  method: 'GET',
  path: '/admin/openapi.json',
  id: 'readAdminDocument',
  summary: 'Read this document',
  answers,
  handle: async ({ documents }, { request }) => documents.administration.answer(request.headers),
});
