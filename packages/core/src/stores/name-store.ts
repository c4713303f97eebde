import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { decideName, type NameRecord, type PinName, type ShownName } from '../domain/name.ts';
import type { Role } from '../domain/role.ts';
import type { NameChange, NamedRole, NamePlace, NameStore } from '../ports/name-store.ts';
import { oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/joining.ts';
import { defineLookup } from '../records/lookup.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../records/program.ts';
import { find, get, getWith, remove, upsert } from '../records/steps.ts';
import { NAMES, ROLES } from '../records/tables/role-tables.ts';
import { countNames, namesInUseOf, pointedName } from './admission-reads.ts';
import { changeLocks, checkChange } from './checks.ts';
import { defineChange } from './define-change.ts';
import { feedEnds } from './events.ts';
import { copyOfLoaded, LOADED, loadedRole, OWNER } from './loaded-roles.ts';
import { appendEventsOfRole, CHANGED, changeRoles, findRole } from './role-changes.ts';

const NAMED = [...CHANGED, 'deletedAt', 'expiresAt'] as const;
const SHOWN = ['role'] as const;
const RECORD = ['account', 'name', 'token', 'role', 'previous', 'updatedAt'] as const;
/** The columns that decide the state of a role. */
const ENDS = ['id', 'deletedAt', 'expiresAt'] as const;

type Ends = Pick<Role, (typeof ENDS)[number]>;

const findName = defineQuery('names.find', function* (place: Pick<NamePlace, 'account' | 'name'>) {
  const { account, name } = place;
  const found = yield* getWith(NAMES, { account, name }, { role: ENDS }, RECORD);
  return found && shownName(found.row, found.references.role);
});

/** Every opening of a name's address looks one up. */
const resolve = defineLookup('names.resolve', {
  table: NAMES,
  by: 'token',
  select: RECORD,
  references: { role: LOADED, account: OWNER },
  make: ({ row, references: { role, account } }): NamedRole | undefined =>
    role && { name: row, role: loadedRole(role, account) },
});

interface Place {
  readonly account: AccountId;
  readonly after: PinName | undefined;
  readonly limit: number;
}

const list = defineQuery('names.list', function* ({ account, after: name, limit }: Place) {
  const after = name === undefined ? undefined : { name };
  const names = yield* find(NAMES, { account }, { order: ['name'], after, limit, select: RECORD });
  const roles = yield* find(ROLES, { id: oneOf(names.map(({ role }) => role)) }, { select: ENDS });
  const byId = new Map(roles.map((role) => [role.id, role]));
  return names.map((row) => shownName(row, byId.get(row.role)));
});

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
      countNames(account, name, RECORD),
      feedEnds(events),
    );
    if (refusal !== undefined) return refusal;
    const decided = decideName(role, namesInUseOf(counted), { now, limit });
    if (decided.kind === 'refused') return decided;
    const known = counted[1]?.row;
    if (known !== undefined && decided.kind === 'unchanged') {
      return { kind: 'unchanged', ...shownName(known, role) };
    }
    const row = pointedName(known, { account, name, token, role: id, updatedAt: now });
    const own = events.map((event) => ({ ...event, pin: id }));
    const changed = role === undefined ? [] : [{ row: role, changes: {}, events: own }];
    yield* all(upsert(NAMES, row), ...changeRoles(changed, ends));
    return { kind: decided.kind, ...shownName(row, role) };
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
    find: (account, name) => database.read(findName, { account, name }),
    resolve: async (token, signal) => {
      const found = await database.peek(resolve, token, signal);
      return found && { name: { ...found.name }, role: copyOfLoaded(found.role) };
    },
    list: (account, after, limit) => database.read(list, { account, after, limit }),
    set: (change, events) => database.write(set, { change, events }),
    delete: (place, events) => database.write(deleteName, { place, events }),
  };
}

/** A name with the ends of its role. A role is never removed, so a name of none is left from a wrong import. */
function shownName(name: NameRecord, role: Ends | undefined): ShownName {
  const { deletedAt, expiresAt } = role ?? { deletedAt: name.updatedAt, expiresAt: null };
  return { name, role: { deletedAt, expiresAt } };
}
