import type { Comparison, Version, Versioned } from '@pinfold/core';
import { type ComparisonRow, comparisonOf } from '../rows.ts';
import type { Prepare } from '../sqlite-file.ts';

const LOAD = 'SELECT version, comparison FROM comparison WHERE one = 1';

const KEEP_FIRST = `
  INSERT INTO comparison (one, version, comparison) VALUES (1, 1, @comparison) ON CONFLICT (one) DO NOTHING
  RETURNING version`;

const KEEP = `
  UPDATE comparison SET version = version + 1, comparison = @comparison WHERE one = 1 AND version = @version
  RETURNING version`;

export function loadComparison(prepare: Prepare): Versioned<Comparison> | undefined {
  const row = prepare<ComparisonRow>(LOAD).get();
  return row && comparisonOf(row);
}

export function keepComparison(
  prepare: Prepare,
  comparison: Comparison,
  loadedAt: Version | undefined,
): { kind: 'kept'; version: Version } | { kind: 'conflict' } {
  const text = JSON.stringify(comparison);
  const kept =
    loadedAt === undefined
      ? prepare<{ version: Version }>(KEEP_FIRST).get({ comparison: text })
      : prepare<{ version: Version }>(KEEP).get({ comparison: text, version: loadedAt });
  return kept === undefined ? { kind: 'conflict' } : { kind: 'kept', version: kept.version };
}
