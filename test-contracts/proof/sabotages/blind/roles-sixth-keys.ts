import type {
  AccountId,
  Fingerprint,
  IdempotencyKey,
  Instant,
  KeptWarning,
  RoleStore,
  Token,
} from '@pinfold/core';
import { type AdmissionRequest, takenFrom } from '@pinfold/core/adapter';
import { type Sabotages, turns, waysOf } from '../ways.ts';
import { inService, rowed, ruled, SOUND, sum } from './roles-sixth-rows.ts';

const { answers, asks } = waysOf<RoleStore>();
const { nameOf } = SOUND;

const NOBODY = { key: '' as IdempotencyKey, fingerprint: '' as Fingerprint, token: '' as Token };

/** What a key nobody holds would be refused for. */
async function refusalOf(store: RoleStore, account: AccountId, wish: AdmissionRequest) {
  const answer = await store.reserve({ ...wish, ...NOBODY, account, until: wish.now });
  await store.release({ ...NOBODY, account });
  return answer.kind === 'refused' ? answer : undefined;
}

export const sixthRoleReservations: Sabotages<RoleStore> = {
  'reserve: a takeover has begun when the one before did': rowed(({ keys }, sound) => ({
    reserve: async (request) => {
      const begunAt = keys.get(nameOf(request))?.begunAt ?? request.now;
      const answer = await sound.reserve(request);
      const row = keys.get(nameOf(request));
      if (row && answer.kind === 'reserved') keys.set(nameOf(request), { ...row, begunAt });
      return answer;
    },
  })),
  'reserve: a key loses the spaces at its end': ruled({
    nameOf: ({ account, key }) => JSON.stringify([account, key.trimEnd()]),
  }),
  'reserve: account and key have a colon between them': ruled({
    nameOf: ({ account, key }) => `${account}:${key}`,
  }),
  'reserve: 255 characters of a fingerprint are looked at': asks('reserve', (request) => [
    { ...request, fingerprint: request.fingerprint.slice(0, 255) },
  ]),
  'reserve: a rate is waited for in whole seconds': answers('reserve', (answer) =>
    answer.kind === 'refused' && answer.code === 'rate_limited'
      ? { ...answer, retryAt: (Math.ceil(answer.retryAt / 1_000) * 1_000) as Instant }
      : answer,
  ),
  'reserve: a mismatch is refused first': rowed((_, sound) => ({
    reserve: async (request) => {
      const answer = await sound.reserve(request);
      if (answer.kind !== 'mismatch') return answer;
      return (await refusalOf(sound, request.account, request)) ?? answer;
    },
  })),
  'reserve: a refused takeover drops what lapsed': rowed(({ keys }, sound) => ({
    reserve: async (request) => {
      const answer = await sound.reserve(request);
      if (answer.kind === 'refused') keys.delete(nameOf(request));
      return answer;
    },
  })),
  'reserve: a handle remembers what is in progress': rowed((_, sound) => {
    const busy = new Map<string, Instant>();
    return {
      reserve: async (request) => {
        const asked = nameOf(request) + request.fingerprint;
        const until = busy.get(asked);
        if (until !== undefined && request.now < until) return { kind: 'in_progress', until };
        const answer = await sound.reserve(request);
        if (answer.kind === 'in_progress') busy.set(asked, answer.until);
        return answer;
      },
      renew: (...inputs) => {
        busy.clear();
        return sound.renew(...inputs);
      },
      commit: (...inputs) => {
        busy.clear();
        return sound.commit(...inputs);
      },
      release: (lease) => {
        busy.clear();
        return sound.release(lease);
      },
    };
  }),
  'reserve: a key is free when its archive was removed': rowed(({ keys, roles }, sound) => ({
    settleCleanup: async (task, outcome, events) => {
      await sound.settleCleanup(task, outcome, events);
      if (!roles.get(task.role)?.isRemoved) return;
      for (const [name, { role }] of keys) if (role === task.role) keys.delete(name);
    },
  })),
  'reserve: sites of accounts in other letters count too': ruled({
    usedBy: (rows, account, now) => ({
      ...SOUND.usedBy(rows, account, now),
      sites: inService(rows, now).filter((role) => role.account.toLowerCase() === account.toLowerCase())
        .length,
    }),
  }),
  'reserve: archives of as many bytes are counted once': ruled({
    usedBy: (rows, account, now) => {
      const own = inService(rows, now).filter((role) => role.account === account);
      return { sites: own.length, bytes: sum([...new Set(own.map(({ archiveBytes }) => archiveBytes))]) };
    },
  }),
  'renew: what is held is never shortened': rowed(({ keys }, sound) => ({
    renew: (lease, until) =>
      sound.renew(lease, Math.max(until, keys.get(nameOf(lease))?.heldUntil ?? 0) as Instant),
  })),
  'renew: a lost lease prolongs who took over': rowed(({ keys }, sound) => ({
    renew: async (lease, until) => {
      const answer = await sound.renew(lease, until);
      const row = keys.get(nameOf(lease));
      if (row?.role === null) keys.set(nameOf(lease), { ...row, heldUntil: until });
      return answer;
    },
  })),
  'release: a row without a token stays': rowed(({ keys }) => ({
    release: async (lease) => {
      const row = keys.get(nameOf(lease));
      if (row?.token !== lease.token || row.role !== null) return;
      keys.set(nameOf(lease), { ...row, token: NOBODY.token, heldUntil: 0 as Instant });
    },
  })),
  'release: a lost lease takes a lapsed one along': rowed(({ keys }, sound) => {
    let latest = 0;
    return {
      reserve: (request) => {
        latest = request.now;
        return sound.reserve(request);
      },
      release: async (lease) => {
        const row = keys.get(nameOf(lease));
        if (row?.role === null && row.heldUntil <= latest) keys.delete(nameOf(lease));
        else await sound.release(lease);
      },
    };
  }),
  'purge: complete keys are among those it looks at': rowed(({ keys }) => ({
    purge: async (begunBefore, limit) => {
      const rows = [...keys].filter(([, { begunAt }]) => begunAt < begunBefore);
      const old = rows.slice(0, limit).filter(([, { role }]) => role === null);
      for (const [name] of old) keys.delete(name);
      return old.length;
    },
  })),
};

const pathOf = (warning: KeptWarning): string => ('path' in warning && warning.path) || '';

export const sixthRoleCommits: Sabotages<RoleStore> = {
  'commit: quotas are looked at when it was published': ruled({
    judged: ({ role, limits }) => ({ now: role.publishedAt, limits }),
  }),
  'commit: the limits of the reservation hold': ruled({
    judged: ({ now }, { limits }) => ({ now, limits }),
  }),
  'commit: one more time puts the manifest back': rowed(({ manifests }, sound) => ({
    commit: async (publication, lease, events) => {
      const answer = await sound.commit(publication, lease, events);
      if (answer.kind === 'committed') manifests.set(publication.role.archive, publication.manifest);
      return answer;
    },
  })),
  'commit: one more time is refused as a new one': rowed(({ keys }, sound) => ({
    commit: async (publication, lease, events) => {
      const { role, now, limits } = publication;
      const isAgain = keys.get(nameOf(lease))?.role === role.id;
      const refused = isAgain && (await refusalOf(sound, role.account, { ...role, now, limits }));
      return refused || sound.commit(publication, lease, events);
    },
  })),
  'commit: one more time is taken from the rate': rowed(({ keys, marks }, sound) => ({
    commit: async (publication, lease, events) => {
      const { role, now, limits } = publication;
      if (limits.publications && keys.get(nameOf(lease))?.role === role.id) {
        marks.set(role.account, takenFrom(limits.publications, marks.get(role.account) ?? null, now));
      }
      return sound.commit(publication, lease, events);
    },
  })),
  'commit: what is refused has lapsed': rowed(({ keys }, sound) => ({
    commit: async (publication, lease, events) => {
      const answer = await sound.commit(publication, lease, events);
      const row = keys.get(nameOf(lease));
      if (row && answer.kind === 'refused') keys.set(nameOf(lease), { ...row, heldUntil: publication.now });
      return answer;
    },
  })),
  'commit: a warning is kept once for a rule and path': asks('commit', (publication, ...rest) => {
    const seen = new Set<string>();
    const isNew = (place: string): boolean => !seen.has(place) && seen.add(place) !== undefined;
    const warnings = publication.warnings.filter((one) => isNew(JSON.stringify([one.rule, pathOf(one)])));
    return [{ ...publication, warnings }, ...rest];
  }),
  'commit: the words of older warnings have no column': asks('commit', (publication, ...rest) => {
    const warnings = publication.warnings.map((warning) => ({ ...warning, detail: undefined }));
    return [{ ...publication, warnings }, ...rest];
  }),
  'commit: characters of four bytes in a manifest': asks('commit', (publication, ...rest) => {
    const manifest = publication.manifest.replace(/[\u{10000}-\u{10ffff}]/gu, '?');
    return [{ ...publication, manifest }, ...rest];
  }),
  'commit: a role is there before its manifest': rowed(({ roles, manifests }, sound) => ({
    commit: async (publication, lease, events) => {
      const { role, manifest } = publication;
      const isNew = !roles.has(role.id);
      const answer = await sound.commit(publication, lease, events);
      if (!isNew || answer.kind !== 'committed') return answer;
      manifests.delete(role.archive);
      await turns(3);
      manifests.set(role.archive, manifest);
      return answer;
    },
  })),
};
