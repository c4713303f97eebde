import type { Account, ApiKey } from '@pinfold/core';
import type { Fields, Shape } from './distortions.ts';

export const API_KEY: Fields<ApiKey> = {
  id: 'id',
  account: 'text',
  scopes: ['choice'],
  label: 'text',
  secretHash: 'hash',
  createdAt: 'instant',
  lastUsedAt: 'instant',
  revokedAt: 'instant',
  isEnsured: 'flag',
};

/** The events that a change keeps: the history's own clauses look at what is in them. */
export const EVENTS: Shape = ['opaque'];

export const ACCOUNT: Fields<Account> = {
  name: 'text',
  limits: { requests: 'word', publications: 'word', sites: 'count', bytes: 'size' },
  blocked: { reason: 'word', sites: 'choice', at: 'instant' },
  generation: 'count',
  lastPublishedAt: 'instant',
  publicationsMark: 'count',
};
