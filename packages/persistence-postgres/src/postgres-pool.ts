/** What is used of a client of `pg`: `query` is answered in order, and `release(true)` ends the connection. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: a row is what its statement says, which no type can tell
  query(query: any): Promise<{ readonly rows: any[]; readonly rowCount: number | null }>;
  release(destroy?: boolean): void;
  /** A connection that breaks between two queries says so here; unheard, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of a pool of `pg`: named by its members, so that any version and any wrapper of it will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** A connection that breaks while nobody uses it says so here; unheard, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}
