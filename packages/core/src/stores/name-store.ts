import { decideName, type NameRecord, type ShownName } from '../domain/name.ts';
import type { Role } from '../domain/role.ts';
import type { NamedRole, NameStore } from '../ports/name-store.ts';
import { oneOf } from '../records/conditions.ts';
import type { Database } from '../records/database.ts';
import { defineLookup } from '../records/program.ts';
import { all, together } from '../records/step.ts';
import { find, get, getWith, remove, upsert } from '../records/steps.ts';
import { NAMES, ROLES } from '../records/tables/role-tables.ts';
import { countNames, moveName, namesInUseOf } from './admission.ts';
import { changeLocks, checkChange } from './checks.ts';
import { feedEnds } from './events.ts';
import {
  appendEventsOfRole,
  CHANGED,
  changeRoles,
  copyOfLoaded,
  findRole,
  LOADED,
  loadedRole,
  OWNER,
} from './role-rows.ts';
import { addChange, addQuery } from './store-programs.ts';

const NAMED = [...CHANGED, 'deletedAt', 'expiresAt'] as const;
const SHOWN = ['role'] as const;
const RECORD = ['account', 'name', 'token', 'role', 'previous', 'updatedAt'] as const;
/** The columns that decide the state of a role. */
const STATE = ['id', 'deletedAt', 'expiresAt'] as const;

type StateMembers = Pick<Role, (typeof STATE)[number]>;

const findName = addQuery('names.find', function* ([account, name]: Parameters<NameStore['find']>) {
  const found = yield* getWith(NAMES, { account, name }, { role: STATE }, RECORD);
  return found && shownName(found.row, found.references.role);
});

/** A lookup, because every view of a name's address runs it. */
const resolve = defineLookup('names.resolve', {
  table: NAMES,
  by: 'token',
  select: RECORD,
  references: { role: LOADED, account: OWNER },
  make: ({ row, references: { role, account } }): NamedRole | undefined =>
    role && { name: row, role: loadedRole(role, account) },
});

const list = addQuery('names.list', function* ([account, last, limit]: Parameters<NameStore['list']>) {
  const names = yield* find(
    NAMES,
    { account },
    { order: ['name'], after: last && { name: last }, limit, select: RECORD },
  );
  const roles = yield* find(ROLES, { id: oneOf(names.map(({ role }) => role)) }, { select: STATE });
  const byId = new Map(roles.map((role) => [role.id, role]));
  return names.map((row) => shownName(row, byId.get(row.role)));
});

const set = addChange('names.set', {
  locks: (setting: Parameters<NameStore['set']>) => changeLocks(...setting),
  *run([change, events]) {
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
    const row = moveName(known, { account, name, token, role: id, updatedAt: now });
    const own = events.map((event) => ({ ...event, pin: id }));
    const changed = role === undefined ? [] : [{ row: role, changes: {}, events: own }];
    yield* all(upsert(NAMES, row), ...changeRoles(changed, ends));
    return { kind: decided.kind, ...shownName(row, role) };
  },
});

const deleteName = addChange('names.delete', {
  locks: (deletion: Parameters<NameStore['delete']>) => changeLocks(...deletion),
  *run([place, events]) {
    const { account, name } = place;
    const [{ refusal }, known] = yield* together(checkChange(place), get(NAMES, { account, name }, SHOWN));
    if (refusal !== undefined) return refusal;
    if (known === undefined) return { kind: 'unknown' };
    yield* remove(NAMES, { account, name });
    yield* appendEventsOfRole(account, known.role, events);
    return { kind: 'deleted' };
  },
});

export function nameStore(database: Database): NameStore {
  return {
    find: (...place) => database.read(findName, place),
    resolve: async (token, signal) => {
      const found = await database.peek(resolve, token, signal);
      return found && { name: { ...found.name }, role: copyOfLoaded(found.role) };
    },
    list: (...page) => database.read(list, page),
    set: (...setting) => database.write(set, setting),
    delete: (...deletion) => database.write(deleteName, deletion),
  };
}

/** Makes a name with the end of its role. Roles are never removed, so only a faulty import leaves a name without one. */
function shownName(name: NameRecord, role: StateMembers | undefined): ShownName {
  const { deletedAt, expiresAt } = role ?? { deletedAt: name.updatedAt, expiresAt: null };
  return { name, role: { deletedAt, expiresAt } };
}
