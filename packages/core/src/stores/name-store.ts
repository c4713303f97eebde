import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { decideName, type NameRecord, type PinName } from '../domain/name.ts';
import type { NameChange, NamedRole, NamePlace, NameStore } from '../ports/name-store.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/joining.ts';
import { defineLookup } from '../records/lookup.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../records/program.ts';
import { find, get, remove, upsert } from '../records/steps.ts';
import { NAMES } from '../records/tables/role-tables.ts';
import { countNames, namesInUseOf, pointedName } from './admission-reads.ts';
import { changeLocks, checkChange } from './checks.ts';
import { defineChange } from './define-change.ts';
import { feedEnds } from './events.ts';
import { copyOfLoaded, LOADED, loadedRole, OWNER } from './loaded-roles.ts';
import { appendEventsOfRole, CHANGED, changeRole, findRole } from './role-changes.ts';

const NAMED = [...CHANGED, 'deletedAt', 'expiresAt'] as const;
const SHOWN = ['role'] as const;
const RECORD = ['account', 'name', 'token', 'role', 'updatedAt'] as const;

const findName = defineQuery('names.find', ({ account, name }: Pick<NamePlace, 'account' | 'name'>) =>
  find(NAMES, { account, name }, { select: RECORD }),
);

/** Every opening of a name's address looks one up. */
const resolve = defineLookup('names.resolve', {
  table: NAMES,
  by: 'token',
  select: RECORD,
  references: { role: LOADED, account: OWNER },
  make: ({ row, references: { role, account } }): NamedRole | undefined =>
    role && { name: recordOf(row), role: loadedRole(role, account) },
});

interface Place {
  readonly account: AccountId;
  readonly after: PinName | undefined;
  readonly limit: number;
}

const list = defineQuery('names.list', ({ account, after: name, limit }: Place) =>
  find(
    NAMES,
    { account },
    { order: ['name'], after: name === undefined ? undefined : { name }, limit, select: RECORD },
  ),
);

interface Setting {
  readonly change: NameChange;
  readonly events: readonly HistoryEvent[];
}

const set = defineChange('names.set', {
  locks: ({ change, events }: Setting) => changeLocks(change, events),
  *run({ change, events }) {
    const { account, name, token, role: id, now, limit } = change;
    const [{ refusal }, role, counted, ends] = yield* together(
      checkChange(change),
      findRole(account, id, NAMED),
      countNames(account, name),
      feedEnds(events),
    );
    if (refusal !== undefined) return refusal;
    const decided = decideName(role, namesInUseOf(counted), { now, limit });
    if (decided.kind === 'refused') return decided;
    const known = counted[1]?.row;
    if (known !== undefined && decided.kind === 'unchanged') {
      return { kind: 'unchanged', name: recordOf(known) };
    }
    const row = pointedName(known, { account, name, token, role: id, updatedAt: now });
    const own = events.map((event) => ({ ...event, pin: id }));
    yield* all(upsert(NAMES, row), ...(role === undefined ? [] : changeRole(role, {}, own, ends)));
    return { kind: decided.kind, name: recordOf(row) };
  },
});

interface Deletion {
  readonly place: NamePlace;
  readonly events: readonly HistoryEvent[];
}

const deleteName = defineChange('names.delete', {
  locks: ({ place, events }: Deletion) => changeLocks(place, events),
  *run({ place, events }) {
    const { account, name } = place;
    const [{ refusal }, known] = yield* together(checkChange(place), get(NAMES, { account, name }, SHOWN));
    if (refusal !== undefined) return refusal;
    if (known === undefined) return { kind: 'unknown' };
    yield* remove(NAMES, { account, name });
    yield* appendEventsOfRole(account, known.role, events);
    return { kind: 'deleted' };
  },
});

/** The programs of the store of names. */
export const NAME_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [findName, list, set, deleteName];

/** Stores names of publications in a database. */
export function nameStore(database: Database): NameStore {
  return {
    find: async (account, name) => (await database.read(findName, { account, name }))[0],
    resolve: async (token, signal) => {
      const found = await database.peek(resolve, token, signal);
      return found && { name: { ...found.name }, role: copyOfLoaded(found.role) };
    },
    list: (account, after, limit) => database.read(list, { account, after, limit }),
    set: (change, events) => database.write(set, { change, events }),
    delete: (place, events) => database.write(deleteName, { place, events }),
  };
}

/** The name without what only the store uses. */
function recordOf({ account, name, token, role, updatedAt }: NameRecord): NameRecord {
  return { account, name, token, role, updatedAt };
}
