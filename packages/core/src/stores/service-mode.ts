import { type Mode, NORMAL_MODE } from '../domain/admission.ts';
import type { HistoryEvent } from '../domain/history.ts';
import type { ServiceMode } from '../ports/service-mode.ts';
import type { Database } from '../records/database.ts';
import { all, together } from '../records/joining.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../records/program.ts';
import type { Step } from '../records/step.ts';
import { get, upsert } from '../records/steps.ts';
import { MODE_LOCK } from '../records/tables/locks.ts';
import { MODES, type OnlyRow } from '../records/tables/one-row-tables.ts';
import { defineChange } from './define-change.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';

interface ModeChange {
  readonly mode: Mode;
  readonly events: readonly HistoryEvent[];
}

/** Reads the mode, for {@link modeOf}. */
export const getMode: Step<OnlyRow<Mode> | undefined, 'read'> = get(MODES, { id: 1 });

export function modeOf(row: Mode | undefined): Mode {
  const { kind, message } = row ?? NORMAL_MODE;
  return { kind, message };
}

const loadMode = defineQuery('mode.load', () => getMode);

const changeMode = defineChange('mode.change', {
  locks: ({ events }: ModeChange) => ({ exclusive: [MODE_LOCK, ...eventLocks(events)] }),
  *run({ mode: { kind, message }, events }) {
    const [row, ends] = yield* together(getMode, feedEnds(events));
    const present = modeOf(row);
    if (present.kind === kind && present.message === message) return;
    yield* all(upsert(MODES, { id: 1, kind, message }), ...insertEvents(events, ends));
  },
});

/** The programs of the service's mode. */
export const MODE_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [loadMode, changeMode];

/** Stores the service's mode in a database. */
export function serviceMode(database: Database): ServiceMode {
  return {
    load: async (signal) => modeOf(await database.read(loadMode, undefined, signal)),
    change: (mode, events) => database.write(changeMode, { mode, events }),
  };
}
