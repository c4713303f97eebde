import type { Comparison, Version, Versioned } from '@pinfold/core';
import type { PostgresConnection } from '../postgres-connection.ts';
import { type ComparisonRow, comparisonOf } from '../rows.ts';
import { prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The statements by which a comparison of storage with the records is kept. */
export interface ComparisonStatements {
  readonly load: Statement;
  readonly keepFirst: Statement;
  readonly keep: Statement;
}

export function comparisonStatements({ comparison }: Tables): ComparisonStatements {
  return {
    load: prepared(`SELECT version, comparison FROM ${comparison} WHERE one = 1`),
    keepFirst: prepared(`
      INSERT INTO ${comparison} (one, version, comparison) VALUES (1, 1, $1) ON CONFLICT (one) DO NOTHING
      RETURNING version`),
    keep: prepared(`
      UPDATE ${comparison} SET version = version + 1, comparison = $1 WHERE one = 1 AND version = $2
      RETURNING version`),
  };
}

export async function loadComparison(
  connection: PostgresConnection,
  { load }: ComparisonStatements,
): Promise<Versioned<Comparison> | undefined> {
  const [row] = await connection.read<ComparisonRow>(load, []);
  return row && comparisonOf(row);
}

export async function keepComparison(
  connection: PostgresConnection,
  { keepFirst, keep }: ComparisonStatements,
  comparison: Comparison,
  loadedAt: Version | undefined,
): Promise<{ kind: 'kept'; version: Version } | { kind: 'conflict' }> {
  const text = JSON.stringify(comparison);
  const { rows } = await (loadedAt === undefined
    ? connection.write<{ version: Version }>(keepFirst, [text])
    : connection.write<{ version: Version }>(keep, [text, loadedAt]));
  const [kept] = rows;
  return kept === undefined ? { kind: 'conflict' } : { kind: 'kept', version: kept.version };
}
