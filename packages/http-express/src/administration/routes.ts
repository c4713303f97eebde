import { parseRoleId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { listEvents } from '../handlers/events.ts';
import { refuseRequest } from '../problems/problem.ts';
import {
  type AccountQuery,
  type AdminEventQuery,
  type ReadQuery,
  readAccountQuery,
  readAdminEventQuery,
  readNoQuery,
} from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { accountNameOf, changeAccount, listAccounts, showAccount } from './accounts.ts';
import { showPin } from './pins.ts';
import { changeService, showService } from './service.ts';

/** A request of somebody who administers. */
export type AdminCall = Pick<Call, 'request' | 'cause' | 'signal'> & {
  readonly administration: Administration;
};

/** One method of a path; `segment` is what the path names, percent-encoded as it came. */
type AdminOperation = (service: Service, call: AdminCall, segment: string) => Promise<Outcome>;

/** One path of the administration with its methods. */
export interface AdminRoute {
  readonly pattern: string;
  readonly methods: Readonly<Record<string, AdminOperation>>;
}

const accounts: AdminRoute = {
  pattern: '/admin/v1/accounts',
  methods: { GET: asked<AccountQuery>(readAccountQuery, listAccounts) },
};

const account: AdminRoute = {
  pattern: '/admin/v1/accounts/{name}',
  methods: {
    GET: unasked(async (service, call, segment) => {
      const name = accountNameOf(segment);
      return name === undefined ? refuseRequest('not_found') : showAccount(service, call, name);
    }),
    PATCH: unasked(changeAccount),
  },
};

const pin: AdminRoute = {
  pattern: '/admin/v1/pins/{id}',
  methods: {
    GET: unasked(async (service, call, segment) => {
      const id = parseRoleId(segment);
      return id === undefined ? refuseRequest('not_found') : showPin(service, call, id);
    }),
  },
};

const events: AdminRoute = {
  pattern: '/admin/v1/events',
  methods: { GET: asked<AdminEventQuery>(readAdminEventQuery, listEvents) },
};

const service: AdminRoute = {
  pattern: '/admin/v1/service',
  methods: { GET: unasked(showService), PATCH: unasked(changeService) },
};

/** Every route under `/admin/v1`. */
export const adminRoutes: readonly AdminRoute[] = [accounts, account, pin, events, service];

/** The route of a path below `/admin/v1`, with what it names. */
export function adminRouteOf(
  path: string,
): { readonly route: AdminRoute; readonly segment: string } | undefined {
  if (path === '/accounts') return { route: accounts, segment: '' };
  if (path === '/events') return { route: events, segment: '' };
  if (path === '/service') return { route: service, segment: '' };
  const [, parent, segment] = /^\/(accounts|pins)\/([^/]+)$/.exec(path) ?? [];
  return segment === undefined ? undefined : { route: parent === 'pins' ? pin : account, segment };
}

function asked<Query>(
  read: ReadQuery<Query>,
  handle: (service: Service, call: AdminCall, query: Query) => Promise<Outcome>,
): AdminOperation {
  return async (service, call) => {
    const query = read(call.request);
    return query.kind === 'refused' ? query : handle(service, call, query.query);
  };
}

function unasked(handle: AdminOperation): AdminOperation {
  return async (service, call, segment) => {
    const query = readNoQuery(call.request);
    return query.kind === 'refused' ? query : handle(service, call, segment);
  };
}
