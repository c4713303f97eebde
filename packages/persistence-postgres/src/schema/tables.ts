import { quoted } from '../engine/statement.ts';

/** The tables of one schema by their qualified names, which do not depend on a search path. */
export interface Tables {
  readonly schemaState: string;
  readonly roles: string;
  readonly manifests: string;
  readonly idempotencyKeys: string;
  readonly comparison: string;
  readonly accounts: string;
  readonly apiKeys: string;
  readonly attemptWindows: string;
  readonly attempts: string;
  readonly sessions: string;
  readonly signInLinks: string;
  readonly events: string;
  readonly feed: string;
  readonly feedBegins: string;
  readonly sessionRefusals: string;
  readonly serviceMode: string;
  readonly takedowns: string;
  readonly views: string;
  readonly importMark: string;
  /** The function of the import's triggers. */
  readonly refuseWhileImporting: string;
  readonly pairings: string;
  readonly names: string;
}

export function tablesOf(schema: string): Tables {
  const name = quoted(schema);
  return {
    schemaState: `${name}.schema_state`,
    roles: `${name}.roles`,
    manifests: `${name}.manifests`,
    idempotencyKeys: `${name}.idempotency_keys`,
    comparison: `${name}.comparison`,
    accounts: `${name}.accounts`,
    apiKeys: `${name}.api_keys`,
    attemptWindows: `${name}.attempt_windows`,
    attempts: `${name}.attempts`,
    sessions: `${name}.sessions`,
    signInLinks: `${name}.sign_in_links`,
    events: `${name}.events`,
    feed: `${name}.feed`,
    feedBegins: `${name}.feed_begins`,
    sessionRefusals: `${name}.session_refusals`,
    serviceMode: `${name}.service_mode`,
    takedowns: `${name}.takedowns`,
    views: `${name}.views`,
    importMark: `${name}.import_mark`,
    refuseWhileImporting: `${name}.refuse_while_importing`,
    pairings: `${name}.pairings`,
    names: `${name}.names`,
  };
}
