import type { Instant, Lease, RoleCommit as Publication, RoleStore, Token } from '@pinfold/core';
import { judgeHolder, takenFrom } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { counts, type MemoryData, nameOf, own } from './roles-fifth-store.ts';

const { asks } = waysOf<RoleStore>();

/** Takes names of keys for the same that are not. */
export const folds = (fold: (account: string, key: string) => string): Spoiling<RoleStore> =>
  own(({ keys }) => (sound) => ({
    reserve: async (request) => {
      const wanted = fold(request.account, request.key);
      const known = [...keys].find(([name]) => {
        const [account, key] = JSON.parse(name);
        return fold(account, key) === wanted;
      });
      const held = judgeHolder(known?.[1], request);
      if (held !== undefined) return held;
      const outcome = await sound.reserve(request);
      if (known && known[0] !== nameOf(request) && outcome.kind === 'reserved') keys.delete(known[0]);
      return outcome;
    },
  }));

export const exactly = (account: string, key: string): string => JSON.stringify([account, key]);

/** Does more with a commit that only repeats one. */
const repeats = (
  more: (data: MemoryData, publication: Publication, sound: RoleStore, lease: Lease) => unknown,
): Spoiling<RoleStore> =>
  own((data) => (sound) => ({
    commit: async (publication, lease, events) => {
      const isAgain = data.roles.has(publication.role.id);
      const outcome = await sound.commit(publication, lease, events);
      if (!isAgain || outcome.kind !== 'committed') return outcome;
      const instead = await more(data, publication, sound, lease);
      return (instead as typeof outcome) ?? outcome;
    },
  }));

function take({ accounts }: MemoryData, { role, limits, now }: Publication): void {
  const row = accounts.get(role.account);
  if (row === undefined || limits.publications === null) return;
  const publicationsMark = takenFrom(limits.publications, row.account.publicationsMark, now);
  accounts.set(role.account, { ...row, account: { ...row.account, publicationsMark } });
}

export const fifthRoleKeySabotages: Sabotages<RoleStore> = {
  'keys that are numbers are compared as numbers': folds((account, key) =>
    exactly(account, Number.isNaN(Number(key)) ? key : String(Number(key))),
  ),
  'keys are compared without the spaces behind them': folds((account, key) =>
    exactly(account, key.trimEnd()),
  ),
  'account and key are joined by a slash': folds((account, key) => `${account}/${key}`),
  'accounts are compared without their invisible characters': folds((account, key) =>
    exactly(account.replace(/\p{Cf}/gu, ''), key),
  ),
  'a plus in a key is a space': folds((account, key) => exactly(account, key.replaceAll('+', ' '))),
  'accounts are compared by their first 255 bytes': folds((account, key) =>
    exactly(Buffer.from(account).subarray(0, 255).toString('latin1'), key),
  ),
  'a reservation that replaces a lapsed one was begun when that was': own(({ keys }) => (sound) => ({
    reserve: async (request) => {
      const before = keys.get(nameOf(request));
      const outcome = await sound.reserve(request);
      const row = keys.get(nameOf(request));
      if (before && row && outcome.kind === 'reserved') {
        keys.set(nameOf(request), { ...row, begunAt: before.begunAt });
      }
      return outcome;
    },
  })),
  'a lease is never shortened': own(({ keys }) => (sound) => ({
    renew: async (lease, until) => {
      const held = keys.get(nameOf(lease))?.heldUntil ?? until;
      return sound.renew(lease, Math.max(held, until) as Instant);
    },
  })),
  'a lapsed reservation of the same fingerprint goes on under its token': own(({ keys }) => (sound) => ({
    reserve: async (request) => {
      const before = keys.get(nameOf(request));
      const isSame = before?.role === null && before.fingerprint === request.fingerprint;
      return sound.reserve(isSame ? { ...request, token: before.token } : request);
    },
  })),
  'a released reservation is still counted and purged': own(({ keys }) => (sound) => ({
    release: async (lease) => {
      const row = keys.get(nameOf(lease));
      if (row?.token !== lease.token || row.role !== null) return sound.release(lease);
      keys.set(nameOf(lease), { ...row, token: '' as Token, heldUntil: -1e15 as Instant });
    },
  })),
  'a refused reservation drops the lapsed one': own(({ keys }) => (sound) => ({
    reserve: async (request) => {
      const before = keys.get(nameOf(request));
      const outcome = await sound.reserve(request);
      if (outcome.kind === 'refused' && before?.role === null) keys.delete(nameOf(request));
      return outcome;
    },
  })),
  'asking for what is in progress prolongs it': own(({ keys }) => (sound) => ({
    reserve: async (request) => {
      const outcome = await sound.reserve(request);
      const row = keys.get(nameOf(request));
      if (row && outcome.kind === 'in_progress') {
        keys.set(nameOf(request), { ...row, heldUntil: request.until });
      }
      return outcome;
    },
  })),
  'fingerprints are compared by their first 64 characters': asks('reserve', (request) => [
    { ...request, fingerprint: request.fingerprint.slice(0, 64) },
  ]),
  'a complete key goes with the archive of its role': own(({ keys }) => (sound) => ({
    settleCleanup: async (task, outcome, events) => {
      const complete = [...keys].find(([, row]) => row.role === task.role && outcome.kind === 'removed');
      await sound.settleCleanup(task, outcome, events);
      if (complete !== undefined) keys.delete(complete[0]);
    },
  })),
  'a purged reservation is renewed': own(({ keys }) => {
    const purged = new Map(keys);
    return (sound) => ({
      purge: async (begunBefore, limit) => {
        const before = new Map(keys);
        const count = await sound.purge(begunBefore, limit);
        for (const [name, row] of before) if (!keys.has(name)) purged.set(name, row);
        return count;
      },
      renew: async (lease, until) => {
        const row = purged.get(nameOf(lease));
        if (row?.token === lease.token && !keys.has(nameOf(lease))) keys.set(nameOf(lease), row);
        return sound.renew(lease, until);
      },
    });
  }),
  'a publication that expires at the instant is in service': counts((role, now) =>
    role.expiresAt === now ? { ...role, expiresAt: (now + 1) as Instant } : role,
  ),
  'a pinned publication is not in service': counts((role, now) =>
    role.pinned ? { ...role, deletedAt: now as Instant } : role,
  ),
  'the quota of bytes counts expanded ones': counts((role) => ({ ...role, archiveBytes: role.size })),
  'a repeated commit takes from the rate': repeats(take),
  'a commit past a quota takes from the rate': own((data) => (sound) => ({
    commit: async (publication, lease, events) => {
      const outcome = await sound.commit(publication, lease, events);
      if (outcome.kind === 'refused' && outcome.code === 'quota_exceeded') take(data, publication);
      return outcome;
    },
  })),
  'a repeated commit is refused where another would be': repeats(
    async (_, { role, now, limits }, sound, { account }) => {
      const { archiveBytes, sha256 } = role;
      const key = `repeated ${role.id}` as Lease['key'];
      const wish = { archiveBytes, sha256, now, limits, account, key, until: now, token: role.id as never };
      const outcome = await sound.reserve({ ...wish, fingerprint: '' as never });
      if (outcome.kind === 'reserved') await sound.release(outcome.lease);
      return outcome.kind === 'refused' ? outcome : undefined;
    },
  ),
  'a repeated commit brings a removed manifest back': repeats(({ manifests }, { role, manifest }) => {
    manifests.set(role.archive, manifest);
  }),
  'warnings are kept as whole characters': asks('commit', (publication, ...rest) => [
    {
      ...publication,
      warnings: publication.warnings.map((warning) =>
        Object.fromEntries(Object.entries(warning).map(([name, text]) => [name, text.toWellFormed()])),
      ),
    },
    ...rest,
  ]),
};
