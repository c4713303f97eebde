import type { IncomingMessage } from 'node:http';
import { after, duration, type PasswordHash, type Role, type RoleId, type RoleStore } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import type { HttpSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import type { Saboteur } from '../sabotage.ts';
import { changingHeads, ignoring, retargeting, rewriting } from './tampers.ts';
import { saboteursIn } from './visiting.ts';

const saboteur = saboteursIn('origin');

/** A role store whose roles are changed as they are loaded. */
function loading(roles: RoleStore, change: (role: Role) => Role): RoleStore {
  return replacing(roles, {
    load: async (id, signal) => {
      const loaded = await roles.load(id, signal);
      return loaded === undefined ? undefined : { ...loaded, value: change(loaded.value) };
    },
  });
}

/** What is wrong with the password form and its limits. */
export const passwordSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-password-right', 'the password form forgets where the viewer wanted to go', {
    tamper: () =>
      retargeting((target, { method }) =>
        method === 'POST' && target.startsWith('/s/') ? `${target.split('?')[0]}` : target,
      ),
  }),
  saboteur('view-password-wrong', 'a password too long to be any is another error', {
    tamper: () =>
      changingHeads((head, { headers }) => {
        if (head.status === 403 && Number(headers['content-length']) > 1_024) head.status = 400;
      }),
  }),
  saboteur('view-password-forms', 'plain text is taken for a form', {
    tamper: () => (request) => {
      if (request.headers['content-type'] === 'text/plain') {
        request.headers['content-type'] = 'application/x-www-form-urlencoded';
      }
    },
  }),
  saboteur('view-password-foreign', 'what the browser says of the form is not looked at', {
    tamper: () => ignoring(['sec-fetch-site']),
  }),
  saboteur('view-password-limit', 'how long to wait is not said', {
    tamper: () => changingHeads(({ headers }) => void headers.delete('retry-after')),
  }),
  saboteur('view-password-race', 'each node counts for itself', {
    ports: () => () => ({ attempts: createMemory().attempts }),
  }),
  saboteur('view-password-together', 'tries under way limit others', {
    ports:
      () =>
      ({ attempts, clock }) => ({
        attempts: replacing(attempts, {
          begin: async (attempt) => {
            const outcome = await attempts.begin(attempt);
            if (outcome.kind !== 'busy') return outcome;
            return { kind: 'limited', until: after(clock.now(), attempt.window) };
          },
        }),
      }),
  }),
  saboteur(
    'view-password-right-uncounted',
    'right passwords are counted',
    {
      ports:
        () =>
        ({ attempts }) => ({
          attempts: replacing(attempts, { forgive: (ticket) => attempts.settle(ticket) }),
        }),
    },
    ['view-password-together'],
  ),
  saboteur('view-limit-spares-viewers', 'a shared URL under attack is closed to everyone', {
    tamper: () => {
      const attacked = new Set<string | undefined>();
      return changingHeads((head, { method, url }) => {
        if (head.status === 429) attacked.add(url);
        else if (method === 'GET' && attacked.has(url)) head.status = 429;
      });
    },
  }),
];

const isFirstPage = ({ url = '', headers }: IncomingMessage): boolean =>
  headers.cookie !== undefined && url === '/';

/** What is wrong with grants. */
export const grantSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('view-grant', 'another node refuses the first page', {
    tamperWithPeers: () =>
      changingHeads((head, request) => {
        if (isFirstPage(request)) head.status = 403;
      }),
  }),
  saboteur('view-grant-needed', 'a refused file shows its tag', {
    tamper: () =>
      changingHeads(({ status, headers }) => {
        if (status === 403) headers.set('etag', ['"f765ef09-g"']);
      }),
  }),
  saboteur('view-grant-cookies', 'cookies go along from other sites', {
    tamper: () => rewriting('set-cookie', (line) => line.replace('; SameSite=Lax', '; SameSite=None')),
  }),
  saboteur('view-grant-any-cookie', 'only the first cookie of a name is looked at', {
    tamper: () => (request) => {
      const [first = ''] = request.headers.cookie?.split(';') ?? [];
      if (first.includes('_grant')) request.headers.cookie = first;
    },
  }),
  saboteur('view-grant-ends', 'a grant grows younger when it is passed on', {
    ports:
      () =>
      ({ grants }) => ({
        grants: replacing(grants, { sign: (grant) => grants.sign({ ...grant, issuedAt: grant.madeAt }) }),
      }),
  }),
  saboteur('view-grant-revoked', 'the generation of a role is not looked at', {
    ports:
      () =>
      ({ roles }) => ({
        roles: loading(roles, (role) => ({ ...role, generation: 1 as Role['generation'] })),
      }),
  }),
  saboteur('view-grant-own-site', 'a grant admits to the role that is asked for', {
    ports: () => {
      let asked: RoleId | undefined;
      return ({ roles, grants }) => ({
        roles: loading(roles, (role) => {
          asked = role.id;
          return role;
        }),
        grants: replacing(grants, {
          verify: (token) => {
            const grant = grants.verify(token);
            return grant === undefined || asked === undefined ? grant : { ...grant, role: asked };
          },
        }),
      });
    },
  }),
  saboteur('view-way-in', 'a hand-over is good for an hour', {
    limits: { handOverLifetime: duration(3_600_000) },
  }),
  saboteur('view-protection-removed', 'a password cannot be removed', {
    ports: () => {
      const hashes = new Map<RoleId, PasswordHash>();
      return ({ roles }) => ({
        roles: replacing(roles, {
          save: (role, version, events, authority) => {
            if (role.passwordHash !== null) hashes.set(role.id, role.passwordHash);
            return roles.save(
              { ...role, passwordHash: hashes.get(role.id) ?? null },
              version,
              events,
              authority,
            );
          },
        }),
      });
    },
  }),
  saboteur('view-never-stored', 'the way into a folder may be stored', {
    tamper: () =>
      rewriting('cache-control', (value, { status }) => (status === 308 ? 'max-age=3600' : value)),
  }),
];
