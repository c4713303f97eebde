import { parseRoleId } from '@pinfold/core';
import type { Administration } from '@pinfold/core/administration';
import { listEvents } from '../handlers/events.ts';
import { refuseRequest } from '../problems/problem.ts';
import {
  type AccountQuery,
  type AdminEventQuery,
  type AdminPinQuery,
  type ReadQuery,
  readAccountQuery,
  readAdminEventQuery,
  readAdminPinQuery,
  readNoQuery,
  readTakedownQuery,
  type TakedownQuery,
} from '../reading/query.ts';
import type { Call, Outcome, Service } from '../service.ts';
import { accountNameOf, changeAccount, listAccounts, showAccount } from './accounts.ts';
import { listPins, showPin, takePinDown } from './pins.ts';
import { changeService, showService } from './service.ts';
import { liftTakedown, listTakedowns } from './takedowns.ts';

/** A request of somebody who administers. */
export type AdminCall = Pick<Call, 'request' | 'again' | 'cause' | 'signal'> & {
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

const pins: AdminRoute = {
  pattern: '/admin/v1/pins',
  methods: { GET: asked<AdminPinQuery>(readAdminPinQuery, listPins) },
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

const takedown: AdminRoute = {
  pattern: '/admin/v1/pins/{id}/takedown',
  methods: {
    POST: unasked((service, call, segment) => takePinDown(service, call, parseRoleId(segment))),
  },
};

const takedowns: AdminRoute = {
  pattern: '/admin/v1/takedowns',
  methods: { GET: asked<TakedownQuery>(readTakedownQuery, listTakedowns) },
};

const forbidden: AdminRoute = {
  pattern: '/admin/v1/takedowns/{sha256}',
  methods: { DELETE: unasked(liftTakedown) },
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
export const adminRoutes: readonly AdminRoute[] = [
  accounts,
  account,
  pins,
  pin,
  takedown,
  takedowns,
  forbidden,
  events,
  service,
];

const PATHS = adminRoutes.map((route) => ({
  route,
  path: new RegExp(`^${route.pattern.replace('/admin/v1', '').replace(/\{[^}]+\}/, '([^/]+)')}$`),
}));

/** The route of a path below `/admin/v1`, with what it names. */
export function adminRouteOf(
  path: string,
): { readonly route: AdminRoute; readonly segment: string } | undefined {
  for (const { route, path: known } of PATHS) {
    const match = known.exec(path);
    if (match !== null) return { route, segment: match[1] ?? '' };
  }
  return undefined;
}

function asked<Query>(
  read: ReadQuery<Query>,
  handle: (service: Service, call: AdminCall, query: Query) => Promise<Outcome>,
): AdminOperation {
  return async (service, call) => {
    const query = await read(call.request);
    return query.kind === 'refused' ? query : handle(service, call, query.query);
  };
}

function unasked(handle: AdminOperation): AdminOperation {
  return async (service, call, segment) => {
    const query = await readNoQuery(call.request);
    return query.kind === 'refused' ? query : handle(service, call, segment);
  };
}
