import { type DescribedAnswer, operatorEndpoint, publicEndpoint } from '../endpoint.ts';

const answers = (): Readonly<Record<number, DescribedAnswer>> => ({
  200: {
    description: 'This document.',
    schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
    headers: ['ETag'],
  },
  304: {
    description: 'Unchanged since the answer with the ETag that If-None-Match names.',
    headers: ['ETag'],
  },
});

export const readDocument = publicEndpoint({
  method: 'GET',
  path: '/openapi.json',
  id: 'readDocument',
  summary: 'Read this document',
  answers,
  handle: async ({ documents }, { request }) => documents.api.answer(request.headers),
});

export const readAdminDocument = operatorEndpoint({
  method: 'GET',
  path: '/admin/openapi.json',
  id: 'readAdminDocument',
  summary: 'Read this document',
  answers,
  handle: async ({ documents }, { request }) => documents.administration.answer(request.headers),
});
