// For `node --import`: a database that flushes nothing. The tests of power cuts must notice it.
import { connections } from './better-sqlite3.ts';

const { pragma } = connections;
connections.pragma = function (sql, options) {
  return pragma.call(this, sql === 'synchronous = FULL' ? 'synchronous = OFF' : sql, options);
};
