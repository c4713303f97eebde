import {
  type AccountId,
  accountId,
  type PinName,
  parseName,
  parseRoleId,
  type RoleId,
  type Sha256,
} from '@pinfold/core';
import { nameOf, parseSha256 } from '@pinfold/core/internal';
import type { PathParameter } from '../endpoint.ts';
import { EXAMPLE_SHA256 } from '../wire/pin.ts';

export const pinId: PathParameter<RoleId> = {
  name: 'id',
  description: 'The last segment of the shared URL, in any letter case.',
  example: '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  parse: parseRoleId,
};

export const pinName: PathParameter<PinName> = {
  name: 'name',
  description: '1 to 63 of `a` to `z`, `0` to `9` and `-`, without `-` at an end.',
  example: 'pr-42',
  parse: (segment) => {
    const name = parseName(segment);
    return typeof name === 'string' ? name : undefined;
  },
};

export const accountName: PathParameter<AccountId> = {
  name: 'name',
  description: 'The account, percent-encoded once.',
  example: 'web-team',
  parse: (segment) => {
    try {
      const name = decodeURIComponent(segment);
      // Clients remove these segments from a path.
      return name === '.' || name === '..' ? undefined : accountId(name);
    } catch (error) {
      if (['URIError', 'TypeError'].includes(nameOf(error) ?? '')) return undefined;
      throw error;
    }
  },
};

export const archiveSha256: PathParameter<Sha256> = {
  name: 'sha256',
  description: 'The SHA-256 of the ZIP, in hexadecimal digits of any letter case.',
  example: EXAMPLE_SHA256,
  parse: parseSha256,
};
