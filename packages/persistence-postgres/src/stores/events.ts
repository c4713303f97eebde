import type { HistoryEvent, UnattributedEvent } from '@pinfold/core';
import { prepared, type Statement } from '../engine/statement.ts';
import { EVENTS } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';

/** The columns of the JSON that {@link rowsOf} makes. */
const COLUMNS = `
  n int, id text, at bigint, type text, account text, pin text, name text, actor text, request text, address text,
  as_operator boolean, recorded_at bigint`;

/** The FROM item that reads events from a JSON parameter. */
export function eventsIn(place: number): string {
  return `pg_catalog.json_to_recordset($${place}::json) AS event (${COLUMNS})`;
}

/** The columns of an inserted event: those that {@link eventsIn} reads, but for some that come from elsewhere. */
export function eventColumns(other: Readonly<Record<string, string>> = {}): string {
  const columns = EVENTS.insert.split(', ');
  return columns.map((column) => other[column] ?? `event.${column}`).join(', ');
}

/** The statement that inserts the events of a parameter once per row of the CTE `part`. */
export function keepingFor({ events }: Tables, part: string, place: number): string {
  return `
    INSERT INTO ${events} (${EVENTS.insert})
    SELECT ${eventColumns()} FROM ${part}, ${eventsIn(place)} ORDER BY event.n`;
}

/** A statement that changes rows and stores the events of a parameter for each. It counts the changed rows. */
export function changing(tables: Tables, change: string, place: number): Statement {
  return prepared(`
    WITH changed AS (${change} RETURNING 1), kept AS (${keepingFor(tables, 'changed', place)})
    SELECT 1 FROM changed`);
}

/** Like {@link keepingFor}, for one role with the columns of {@link lastEventAt}: a millisecond between events. */
export function keepingInTurn({ events }: Tables, part: string, place: number): string {
  return `
    INSERT INTO ${events} (${EVENTS.insert})
    SELECT ${eventColumns({ at: `${part}.last_event_at - pg_catalog.json_array_length($${place}::json) + 1 + event.n` })}
    FROM ${part}, ${eventsIn(place)} ORDER BY event.n`;
}

/** When the last event of a role will be that gets those of a parameter: the first of them comes after the one before. */
export function lastEventAt(place: number): string {
  return `greatest(last_event_at + 1, ($${place}::json -> 0 ->> 'at')::bigint)
    + pg_catalog.json_array_length($${place}::json) - 1`;
}

/** The statement that stores the events of the second parameter, of the role of the first one. It counts one row if the role exists. */
export function tellingRole(tables: Tables): Statement {
  return prepared(`
    WITH told AS (
      UPDATE ${tables.roles} SET last_event_at = ${lastEventAt(2)} WHERE id = $1 RETURNING last_event_at
    ), kept AS (${keepingInTurn(tables, 'told', 2)})
    SELECT 1 FROM told`);
}

/** The value of the parameter. */
export function rowsOf(events: readonly (HistoryEvent | UnattributedEvent)[]): string {
  return JSON.stringify(
    events.map((event, n) => {
      const { asOperator, recordedAt, ...rest } = event;
      return {
        n,
        ...rest,
        as_operator: asOperator,
        recorded_at: recordedAt,
        ...('actor' in event ? actorOf(event) : {}),
      };
    }),
  );
}

function actorOf({ actor }: HistoryEvent): { readonly actor: string } {
  return { actor: JSON.stringify(actor) };
}
