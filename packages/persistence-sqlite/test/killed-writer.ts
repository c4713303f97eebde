import Database from 'better-sqlite3';

// Commits, and is killed: the log remains.
const database = new Database(process.argv[2]);
database.pragma('journal_mode = WAL');
database.exec(
  "CREATE TABLE schema_state (one); CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('noted')",
);
process.kill(process.pid, 'SIGKILL');
