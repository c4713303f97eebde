import { accountId, Fault, minutes, type Scope } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { openRig, type Rig } from './rig.ts';

const ALL: readonly Scope[] = ['pins:read', 'pins:write', 'admin'];

/** Contains the address of a request's client. */
export const ADDRESS_HEADER = 'x-address';

/** A service that trusts its callers' names; some names cause the failure that they describe. */
export function openTrustingRig(committing: () => Promise<void>): Promise<Rig> {
  return openRig({
    limits: { archiveBytes: 1_000 },
    quotas: async (account) => ({ full: { sites: 0 }, nameless: { names: 0 } })[String(account)] ?? {},
    ports: ({ roles }) => ({
      roles: replacing(roles, {
        commit: async (publication, ...others) => {
          if (publication.role.originalFilename === 'slow.zip') await committing();
          return roles.commit(publication, ...others);
        },
      }),
    }),
    api: {
      authenticate: async ({ headers: { authorization: name = '' } }) => {
        if (name === 'nobody') return undefined;
        return { account: accountId(name), scopes: name === 'powerless' ? ['manage'] : ALL };
      },
      requestRate: ({ account }) => ({ count: account === 'busy' ? 1 : 1_000_000, window: minutes(1) }),
      clientAddress: ({ headers }) => String(headers[ADDRESS_HEADER]),
      historyAddress: ({ headers: { authorization } }) => {
        if (authorization === 'unlucky') throw new Error('a fault of the code');
        if (authorization === 'too early') throw new Fault('store_unavailable', 'a fault of the store');
        return '127.0.0.1';
      },
    },
  });
}
