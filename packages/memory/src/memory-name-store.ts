import type {
  AccountId,
  HistoryEvent,
  NameChange,
  NameRecord,
  NameStore,
  NamesInUse,
  PinName,
} from '@pinfold/core';
import { decideName } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { storeEventsOfRole } from './events.ts';
import { loadRole } from './list-roles.ts';
import { refused, refusedCredential } from './memory-account-store.ts';
import type { MemoryData } from './memory-data.ts';
import { ascending, pageOf } from './order.ts';

const byName = ascending<Pick<NameRecord, 'name'>>('name');

export function memoryNameStore(connection: Connection): NameStore {
  return {
    find: async (account, name) => structuredClone(findName(connection.open(), account, name)),
    resolve: async (token, signal) => {
      const data = connection.open(signal);
      const found = data.names.get(token);
      const role = found && loadRole(data, found.role);
      return found && role && { name: { ...found }, role };
    },
    list: async (account, after, limit) =>
      pageOf(namesOf(connection.open(), account), byName, after && { name: after }, limit),
    set: async (change, events) => setName(connection.change(), change, events),
    delete: async ({ account, name, credential = {} }, events) => {
      const data = connection.change();
      const refusal = refusedCredential(data, credential) ?? refused(data, account);
      if (refusal !== undefined) return refusal;
      const found = findName(data, account, name);
      if (found === undefined) return { kind: 'unknown' };
      data.names.delete(found.token);
      storeEventsOfRole(data, found.role, events);
      return { kind: 'deleted' };
    },
  };
}

function namesOf({ names }: MemoryData, account: AccountId): readonly NameRecord[] {
  return [...names.values()].filter((record) => record.account === account);
}

function findName(data: MemoryData, account: AccountId, name: PinName): NameRecord | undefined {
  return namesOf(data, account).find((record) => record.name === name);
}

function setName(
  data: MemoryData,
  { account, name, credential = {}, token, role: id, now, limit }: NameChange,
  events: readonly HistoryEvent[],
): Awaited<ReturnType<NameStore['set']>> {
  const refusal = refusedCredential(data, credential) ?? refused(data, account);
  if (refusal !== undefined) return refusal;
  const role = data.roles.get(id)?.role;
  const owned = role?.account === account ? role : undefined;
  const decided = decideName(owned, namesInUse(data, account, name), { now, limit });
  if (decided.kind === 'refused') return decided;
  const known = findName(data, account, name);
  if (decided.kind === 'unchanged' && known !== undefined) return { kind: 'unchanged', name: { ...known } };
  const record = pointName(data, { account, name, token, role: id, updatedAt: now });
  storeEventsOfRole(data, id, events);
  return { kind: decided.kind, name: { ...record } };
}

export function namesInUse(data: MemoryData, account: AccountId, name: PinName): NamesInUse {
  const shown = findName(data, account, name);
  const role = shown && data.roles.get(shown.role)?.role;
  return {
    count: namesOf(data, account).length,
    shown: role && { id: role.id, isProtected: role.passwordHash !== null },
  };
}

/** Points a name at a role; one that exists keeps its token. */
export function pointName(data: MemoryData, record: NameRecord): NameRecord {
  const token = findName(data, record.account, record.name)?.token ?? record.token;
  const pointed = { ...record, token };
  data.names.set(token, pointed);
  return pointed;
}
