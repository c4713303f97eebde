/** How a database writes what the schemas of all databases have in common. */
export interface SchemaDialect {
  /** The type of text that is compared or sorted, in the order of code points. */
  readonly text: string;
  readonly integer: string;
  /** The column that limits a table to one row. */
  readonly one: string;
  /** The end of a table's definition, and of one whose rows are stored in the order of its primary key. */
  readonly table: string;
  readonly clustered: string;
  /** The type of a flag that is not null. */
  flag(column: string, byDefault?: boolean): string;
  isSet(column: string): string;
  isNotSet(column: string): string;
  /** The columns of an index of roles that were not deleted, from which alone a list is read, with its condition. */
  undeleted(columns: string): string;
  /** The earlier of the instants `deleted_at` and `expires_at`, as a generated column. */
  readonly endedAt: string;
  readonly newFeed: string;
}

/**
 * The part of the first release's schema that all databases have in common. It is of a released version: a later release
 * adds a migration and leaves this text as it is.
 *
 * An archive exists for a database while `manifests` has its row. `roles.ended_at` is the instant from which viewers
 * never see the role again. A role awaits cleanup in the index `roles_ended`, and after a claim or a failed cleanup in
 * `roles_waiting`; `roles_expiring` finds expired roles that have no event about it yet.
 *
 * `events.number` is an event's place in the feed of all accounts, `account_number` in that of its account. `feed_begins`
 * has the last event that was dropped of each account's feed and, under the account '', of the feed of all accounts.
 */
export function firstSchema(dialect: SchemaDialect): string {
  const { text, integer, one, table, clustered, flag, isSet, isNotSet, undeleted } = dialect;
  return `
    CREATE TABLE roles (
      id ${text} NOT NULL PRIMARY KEY,
      version ${integer} NOT NULL,
      account ${text} NOT NULL,
      archive ${text} NOT NULL,
      idempotency_key ${text} NOT NULL,
      title ${text},
      original_filename ${text} NOT NULL,
      file_count ${integer} NOT NULL,
      size ${integer} NOT NULL,
      archive_bytes ${integer} NOT NULL,
      sha256 ${text} NOT NULL,
      published_at ${integer} NOT NULL,
      expires_at ${integer},
      pinned ${flag('pinned')},
      deleted_at ${integer},
      password_hash ${text},
      generation ${integer} NOT NULL,
      title_folded ${text} NOT NULL,
      archive_kept ${flag('archive_kept', true)},
      claim_token ${text},
      not_before ${integer},
      failures ${integer} NOT NULL DEFAULT 0,
      last_event_at ${integer} NOT NULL DEFAULT 0,
      expiry_told ${flag('expiry_told', false)},
      purged ${flag('purged', false)},
      ended_at ${integer} ${dialect.endedAt}
    ) ${table};
    CREATE INDEX roles_listed ON roles ${undeleted('account, published_at, id')};
    CREATE INDEX roles_deleted ON roles (account, published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_newest ON roles ${undeleted('published_at, id')};
    CREATE INDEX roles_largest ON roles ${undeleted('account, archive_bytes, id')};
    CREATE INDEX roles_newest_deleted ON roles (published_at, id) WHERE deleted_at IS NOT NULL;
    CREATE INDEX roles_archive ON roles (archive);
    CREATE INDEX roles_ended ON roles (ended_at) WHERE ${isSet('archive_kept')} AND not_before IS NULL;
    CREATE INDEX roles_waiting ON roles (not_before) WHERE ${isSet('archive_kept')} AND not_before IS NOT NULL;
    CREATE INDEX roles_expiring ON roles (expires_at)
      WHERE ${isNotSet('expiry_told')} AND (deleted_at IS NULL OR deleted_at >= expires_at);

    CREATE TABLE manifests (
      archive ${text} NOT NULL PRIMARY KEY,
      manifest TEXT NOT NULL
    ) ${table};

    CREATE TABLE idempotency_keys (
      account ${text} NOT NULL,
      key ${text} NOT NULL,
      fingerprint ${text} NOT NULL,
      token ${text} NOT NULL,
      begun_at ${integer} NOT NULL,
      held_until ${integer} NOT NULL,
      role ${text} REFERENCES roles (id),
      warnings TEXT,
      PRIMARY KEY (account, key)
    ) ${table};
    CREATE INDEX idempotency_keys_reserved ON idempotency_keys (begun_at) WHERE role IS NULL;

    CREATE TABLE comparison (
      ${one},
      version ${integer} NOT NULL,
      comparison TEXT NOT NULL
    ) ${table};

    CREATE TABLE accounts (
      name ${text} NOT NULL PRIMARY KEY,
      version ${integer} NOT NULL,
      limits TEXT NOT NULL,
      blocked TEXT NOT NULL,
      generation ${integer} NOT NULL,
      last_published_at ${integer},
      publications_mark ${integer}
    ) ${table};

    CREATE TABLE api_keys (
      id ${text} NOT NULL PRIMARY KEY,
      account ${text} NOT NULL,
      scopes TEXT NOT NULL,
      label TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      created_at ${integer} NOT NULL,
      last_used_at ${integer},
      revoked_at ${integer},
      ensured ${flag('ensured')}
    ) ${table};
    CREATE INDEX api_keys_in_order ON api_keys (created_at, id);
    CREATE INDEX api_keys_of_account ON api_keys (account, created_at, id);
    CREATE INDEX api_keys_live ON api_keys (account) WHERE revoked_at IS NULL;
    CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL AND ${isNotSet('ensured')};

    CREATE TABLE sessions (
      token_hash ${text} NOT NULL PRIMARY KEY,
      account ${text} NOT NULL,
      api_key ${text},
      actor TEXT NOT NULL,
      scope ${text} NOT NULL,
      display_name ${text},
      started_at ${integer} NOT NULL,
      ends_at ${integer} NOT NULL
    ) ${table};
    CREATE INDEX sessions_end ON sessions (ends_at);
    CREATE INDEX sessions_of_account ON sessions (account, started_at, token_hash);
    CREATE INDEX sessions_of_actor ON sessions (account, actor, started_at, token_hash);

    CREATE TABLE sign_in_links (
      token_hash ${text} NOT NULL PRIMARY KEY,
      account ${text} NOT NULL,
      actor TEXT NOT NULL,
      scope ${text} NOT NULL,
      ends_at ${integer} NOT NULL
    ) ${table};
    CREATE INDEX sign_in_links_end ON sign_in_links (ends_at);

    CREATE TABLE session_refusals (
      account ${text} NOT NULL PRIMARY KEY,
      told_at ${integer} NOT NULL
    ) ${table};

    CREATE TABLE pairings (
      secret_hash ${text} NOT NULL PRIMARY KEY,
      ends_at ${integer} NOT NULL,
      account ${text},
      scopes TEXT,
      label TEXT,
      actor TEXT,
      session ${text},
      api_key ${text}
    ) ${table};
    CREATE INDEX pairings_ended ON pairings (ends_at);
    CREATE INDEX pairings_agreed ON pairings (account, actor, session);

    CREATE TABLE events (
      at ${integer} NOT NULL,
      id ${text} NOT NULL,
      type ${text} NOT NULL,
      account ${text},
      pin ${text},
      actor ${text} NOT NULL,
      request ${text},
      address ${text},
      as_operator ${flag('as_operator')},
      recorded_at ${integer} NOT NULL,
      name ${text},
      number ${integer},
      account_number ${integer},
      PRIMARY KEY (at, id)
    ) ${clustered};
    CREATE INDEX events_of_account ON events (account, at, id);
    CREATE INDEX events_of_pin ON events (pin, at, id) WHERE pin IS NOT NULL;
    CREATE INDEX events_recorded ON events (recorded_at);

    CREATE TABLE feed (
      ${one},
      id ${text} NOT NULL
    ) ${table};
    INSERT INTO feed (one, id) VALUES (1, ${dialect.newFeed});
    CREATE TABLE feed_begins (
      account ${text} NOT NULL PRIMARY KEY,
      number ${integer} NOT NULL,
      event ${text} NOT NULL
    ) ${clustered};

    CREATE TABLE views (
      role ${text} NOT NULL,
      day ${integer} NOT NULL,
      views ${integer} NOT NULL,
      refused_passwords ${integer} NOT NULL,
      PRIMARY KEY (role, day)
    ) ${clustered};
    CREATE INDEX views_of_day ON views (day);

    CREATE TABLE names (
      account ${text} NOT NULL,
      name ${text} NOT NULL,
      token ${text} NOT NULL UNIQUE,
      role ${text} NOT NULL REFERENCES roles (id),
      updated_at ${integer} NOT NULL,
      PRIMARY KEY (account, name)
    ) ${clustered};

    CREATE TABLE takedowns (
      id ${text} NOT NULL,
      account ${text} NOT NULL,
      sha256 ${text} NOT NULL,
      reason TEXT NOT NULL,
      at ${integer} NOT NULL,
      lifted_at ${integer},
      PRIMARY KEY (id, sha256)
    ) ${clustered};
    CREATE INDEX takedowns_forbidden ON takedowns (sha256, at, id) WHERE lifted_at IS NULL;
    CREATE INDEX takedowns_listed ON takedowns (at, id, sha256) WHERE lifted_at IS NULL;

    CREATE TABLE service_mode (
      ${one},
      kind TEXT NOT NULL,
      message TEXT
    ) ${table};
    INSERT INTO service_mode (one, kind) VALUES (1, 'normal');

    CREATE TABLE import_mark (
      ${one},
      token ${text} NOT NULL
    ) ${table};
  `;
}
