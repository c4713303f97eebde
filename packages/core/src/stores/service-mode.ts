import { type Mode, NORMAL_MODE } from '../domain/admission.ts';
import type { ServiceMode } from '../ports/service-mode.ts';
import type { Database } from '../records/database.ts';
import { all, type Step, together } from '../records/step.ts';
import { get, upsert } from '../records/steps.ts';
import { MODE_LOCK } from '../records/tables/locks.ts';
import { MODES, type OnlyRow } from '../records/tables/service-tables.ts';
import { eventLocks, feedEnds, insertEvents } from './events.ts';
import { addChange, addQuery } from './store-programs.ts';

/** Reads the mode, for {@link modeOf}. */
export const getMode: Step<OnlyRow<Mode> | undefined, 'read'> = get(MODES, { id: 1 });

export function modeOf(row: Mode | undefined): Mode {
  const { kind, message } = row ?? NORMAL_MODE;
  return { kind, message };
}

const loadMode = addQuery('mode.load', () => getMode);

const changeMode = addChange('mode.change', {
  locks: ([, events]: Parameters<ServiceMode['change']>) => ({
    exclusive: [MODE_LOCK, ...eventLocks(events)],
  }),
  *run([{ kind, message }, events]) {
    const [row, ends] = yield* together(getMode, feedEnds(events));
    const present = modeOf(row);
    if (present.kind === kind && present.message === message) return;
    yield* all(upsert(MODES, { id: 1, kind, message }), ...insertEvents(events, ends));
  },
});

export function serviceMode(database: Database): ServiceMode {
  return {
    load: async (signal) => modeOf(await database.read(loadMode, undefined, signal)),
    change: (...change) => database.write(changeMode, change),
  };
}
