import { codeOf } from '@pinfold/core/internal';
import type { PostgresClient, PostgresPool } from './postgres-connection.ts';
import { prepared, ROLLBACK, unprepared } from './statement.ts';

const STATEMENT = prepared('SELECT 1 AS prepared');
const BEGIN = unprepared('BEGIN');
/** SQLSTATEs: the name of a prepared statement is unknown, or is taken. */
const MIXED: ReadonlySet<unknown> = new Set(['26000', '42P05']);
/** A pooler with a single connection lets the second transaction wait for the first. */
const WAIT = 1_000;

/**
 * Whether a prepared statement stays with its connection. Behind a pooler that gives each transaction any connection of
 * the server, such as PgBouncer before 1.21, the statement is not known to the next one.
 *
 * @param pool a pool that may open two connections.
 */
export async function keepsPreparedStatements(pool: PostgresPool): Promise<boolean> {
  const [one, other] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    await one.query({ ...STATEMENT });
    await other.query({ ...BEGIN });
    // The other's transaction has the connection on which the statement was prepared, so this one gets another.
    const repeated = isPrepared(one);
    await Promise.race([repeated, new Promise((resolve) => setTimeout(resolve, WAIT).unref())]);
    await other.query({ ...ROLLBACK });
    return (await repeated) && (await isPrepared(other));
  } finally {
    one.release(true);
    other.release(true);
  }
}

async function isPrepared(client: PostgresClient): Promise<boolean> {
  try {
    await client.query({ ...STATEMENT });
    return true;
  } catch (error) {
    if (MIXED.has(codeOf(error))) return false;
    throw error;
  }
}
