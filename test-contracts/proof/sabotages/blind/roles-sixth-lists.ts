import { createHash } from 'node:crypto';
import { type Filename, type Role, type RoleStore, stateOf, type Title, type Version } from '@pinfold/core';
import { titleFolded } from '@pinfold/core/adapter';
import { type Sabotages, waysOf } from '../ways.ts';
import { type RoleRow, rowed, ruled, SOUND } from './roles-sixth-rows.ts';
import { newestFirst, placeOf, update } from './roles-sixth-store.ts';

const { answers, does } = waysOf<RoleStore>();

function versionOf({ role, claim, claimableAt }: RoleRow): Version {
  const text = JSON.stringify([role, claim, claimableAt]);
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) as Version;
}

export const sixthRoleFields: Sabotages<RoleStore> = {
  'kept: a file name of more than 255 bytes is cut': ruled({
    asKept: (role) => {
      const cut = Buffer.from(role.originalFilename).subarray(0, 255).toString();
      return { ...role, originalFilename: cut.replace(/\ufffd$/, '') as Filename };
    },
  }),
  'kept: a title is composed': ruled({
    asKept: (role) => ({ ...role, title: role.title && (role.title.normalize('NFC') as Title) }),
  }),
  'load: an unknown id is answered before an abort': does('load', async (store, id, signal) => {
    const loaded = await store.load(id);
    return loaded && store.load(id, signal);
  }),
  'load: a listener stays where it faults': does('load', async (store, id, signal) => {
    signal?.throwIfAborted();
    const heard = (): void => undefined;
    signal?.addEventListener('abort', heard);
    const loaded = await store.load(id, signal);
    signal?.removeEventListener('abort', heard);
    return loaded;
  }),
  'loadManifest: what a handle gave before it gives to who aborted': () => (store) => {
    const given = new Set<string>();
    return {
      loadManifest: async (archive, signal) => {
        const text = await store.loadManifest(archive, given.has(archive) ? undefined : signal);
        if (text !== undefined) given.add(archive);
        return text;
      },
    };
  },
  'save: a version is a sum of what is kept': rowed(({ roles }, sound) => ({
    load: async (id, signal) => {
      const loaded = await sound.load(id, signal);
      const row = roles.get(id);
      return loaded && row && { ...loaded, version: versionOf(row) };
    },
    save: async (role, loadedAt, events) => {
      const row = roles.get(role.id);
      if (row === undefined || versionOf(row) !== loadedAt) return { kind: 'conflict' };
      return sound.save(role, row.version, events);
    },
  })),
  'save: what is as it was committed is not written': rowed(({ roles }, sound) => ({
    save: async (role, loadedAt, events) => {
      const row = roles.get(role.id);
      const isOther = ([name, value]: [string, unknown]): boolean =>
        row !== undefined && value !== row.committed[name as keyof Role];
      const written = Object.fromEntries(Object.entries(role).filter(isOther));
      return sound.save(row ? { ...row.role, ...written } : role, loadedAt, events);
    },
  })),
  'save: failures begin anew': rowed((rows, sound) => ({
    save: async (role, loadedAt, events) => {
      const answer = await sound.save(role, loadedAt, events);
      if (answer.kind === 'saved') update(rows, role.id, { failures: 0 });
      return answer;
    },
  })),
  'save: what is stopped after its removal is there again': rowed((rows, sound) => ({
    save: async (role, loadedAt, events) => {
      const isStopped = rows.roles.get(role.id)?.role.deletedAt === null && role.deletedAt !== null;
      const answer = await sound.save(role, loadedAt, events);
      if (answer.kind === 'saved' && isStopped) update(rows, role.id, { isRemoved: false });
      return answer;
    },
  })),
};

export const sixthRoleLists: Sabotages<RoleStore> = {
  'list: roles of other states make another page': rowed(({ roles }, sound) => ({
    list: async (query) => {
      const page = await sound.list(query);
      const { account, limit, search, idempotencyKey } = query;
      const last = page.items[limit - 1];
      if (page.next || !last || search !== undefined || idempotencyKey !== undefined) return page;
      const isBehind = ({ role }: RoleRow): boolean =>
        (account === undefined || role.account === account) && newestFirst(last, role) < 0;
      return [...roles.values()].some(isBehind) ? { ...page, next: placeOf(last) } : page;
    },
  })),
  'list: the role of its cursor has to be in it': rowed(({ roles }, sound) => ({
    list: async (query) => {
      const { after, state, now } = query;
      const last = after && roles.get(after.id)?.role;
      if (last && !SOUND.isIn(last, state, now)) return { items: [], next: undefined };
      return sound.list(query);
    },
  })),
  'list: expired ones that were stopped are expired': ruled({
    isIn: (role, state, now) =>
      state === 'expired' ? role.expiresAt !== null && role.expiresAt <= now : SOUND.isIn(role, state, now),
  }),
  'list: a key finds its role in the state asked for': answers('list', (page, query) => {
    const { idempotencyKey, state, now } = query;
    if (idempotencyKey === undefined || state === undefined) return page;
    return { ...page, items: page.items.filter((role) => stateOf(role, now) === state) };
  }),
  'list: a backslash in a search escapes': ruled({
    isFound: (role, search, folded) => SOUND.isFound(role, search.replace(/\\(.)/gsu, '$1'), folded),
  }),
  'list: a search goes on from the title into the id': ruled({
    isFound: ({ id }, search, folded) => `${folded} ${id}`.includes(search),
  }),
  'list: a title that was taken away is found': ruled({
    foldedAfter: (folded, role) => (role.title === null ? folded : titleFolded(role)),
  }),
  'list: a hundred are all that are asked for': answers('list', (page, { limit }) =>
    limit >= 100 ? { ...page, next: undefined } : page,
  ),
  'list: accounts below an account are its own': ruled({
    isOf: (role, account) => `${role.account}/`.startsWith(`${account}/`),
  }),
  'list: generations are as they were committed': rowed(({ roles }, sound) => ({
    list: async (query) => {
      const { items, next } = await sound.list(query);
      const generationOf = (role: Role) => (roles.get(role.id)?.committed ?? role).generation;
      return { items: items.map((role) => ({ ...role, generation: generationOf(role) })), next };
    },
  })),
  'list: a search ends where it found nothing': rowed((_, sound) => ({
    list: async (query) => {
      const page = await sound.list(query);
      return page.items.length === 0 ? { items: [], next: undefined } : page;
    },
  })),
};
