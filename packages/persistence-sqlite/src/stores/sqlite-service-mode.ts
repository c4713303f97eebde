import type { ServiceMode } from '@pinfold/core';
import type { Statements } from '../engine/sqlite-connection.ts';
import { keep } from './events.ts';
import { findMode } from './mode.ts';

const CHANGE = `
  INSERT INTO service_mode (one, kind, message) VALUES (1, @kind, @message)
  ON CONFLICT (one) DO UPDATE SET kind = @kind, message = @message
  WHERE kind IS NOT @kind OR message IS NOT @message`;

/** Stores the mode in a SQLite file, whose writers are serialized, so that each later one sees it. */
export function sqliteServiceMode(connection: Statements): ServiceMode {
  return {
    load: (signal) => connection.read(findMode, signal),
    change: ({ kind, message }, events) =>
      connection.write((prepare) => {
        if (prepare(CHANGE).run({ kind, message }).changes === 1) keep(prepare, events);
      }),
  };
}
