// Generated from the API document by `pnpm --filter @pinfold/client wire`.
/** The objects of the API; wire-objects.ts says how a member is written. */
export const OBJECTS = {
  PinList: {
    /** Newest first. */
    pins: 'Pin[]',
    /** Ask for the next page with this as cursor and the same parameters; null on the last page. */
    next_cursor: 'string | null',
  },
  Pin: {
    /** The last segment of the shared URL. */
    id: 'string',
    /** The management title; null when there is none. */
    title: 'string | null',
    /** The state at the moment of the answer. */
    state: 'published | expired | deleted',
    /** The URL that viewers use. */
    shared_url: 'string',
    password_protected: 'boolean',
    /** A pinned publication does not expire. */
    pinned: 'boolean',
    /** RFC 3339, UTC, milliseconds. */
    published_at: 'string',
    /** Null while pinned. */
    expires_at: 'string | null',
    /** Null unless stopped. */
    deleted_at: 'string | null',
    /** Files of the site, without folders and files that operating systems add. */
    file_count: 'number',
    /** Bytes of those files, expanded. */
    size: 'number',
    /** As uploaded; null once it was deleted, some time after the publication has ended. */
    original_filename: 'string | null',
  },
  Publication: {
    pin: 'Pin',
    warnings: 'Warning[]',
    /** Only if a name was requested: as it is now, or null if it was deleted since. */
    name: 'Name | null | undefined',
  },
  Warning: {
    rule: 'string',
    detail: 'string',
    /** The file in which it was seen. */
    path: 'string | undefined',
  },
  Name: {
    name: 'string',
    /** The URL that viewers use; the same until the name is deleted. */
    url: 'string',
    /** The publication that it shows: the last one that was set, in any state. */
    pin: 'string',
    /** RFC 3339, UTC, milliseconds. */
    updated_at: 'string',
    /** The state of that publication at the moment of the answer. */
    pin_state: 'published | expired | deleted',
    /** When that publication expires; null while it is pinned. */
    pin_expires_at: 'string | null',
    /** The publication that it showed before it was last moved; null if it never was. */
    previous: 'string | null',
  },
  DryRun: {
    /** Nothing was published. */
    pin: 'null',
    archive: 'ArchiveSize',
    warnings: 'Warning[]',
    /** Only if a name was requested. */
    name: 'null | undefined',
  },
  ArchiveSize: {
    /** Files of the site. */
    file_count: 'number',
    /** Their bytes, expanded. */
    size: 'number',
  },
  ViewedPinAnswer: {
    pin: 'Pin',
    /** Only with `include=views`: the last 30 days in UTC, newest first, without days on which nothing was counted. Counts are up to 10 seconds old. */
    views: 'DayOfViews[] | undefined',
  },
  DayOfViews: {
    day: 'string',
    /** Pages of the site that people opened; files that belong to pages are not counted. */
    views: 'number',
    /** Passwords that were wrong. */
    refused_passwords: 'number',
  },
  PinAnswer: {
    pin: 'Pin',
  },
  GrantAnswer: {
    grant: 'Grant',
  },
  Grant: {
    /** Opens the site without a password for one minute, for anyone who has it. The shared URL itself if the site has no password. */
    url: 'string',
    /** RFC 3339, UTC, milliseconds. */
    expires_at: 'string',
  },
  LimitsAnswer: {
    limits: 'Limits',
    rates: 'Rates',
    quotas: 'Quotas',
  },
  Limits: {
    /** Bytes of the ZIP. */
    archive_bytes: 'number',
    /** Bytes of all files, expanded. */
    expanded_bytes: 'number',
    /** Files of the site. */
    files: 'number',
    /** Bytes of one file, expanded. */
    file_bytes: 'number',
    /** Code points of a title. */
    title_characters: 'number',
    /** Characters of an Idempotency-Key. */
    idempotency_key_characters: 'number',
    /** Minimum code points of a password. */
    password_min_characters: 'number',
    /** Bytes of a password in UTF-8. */
    password_max_bytes: 'number',
    /** Days a new publication lives. */
    lifetime_days: 'number',
  },
  Rates: {
    /** Counted by this process; null if there is no limit. */
    requests: 'Rate | null',
    /** Counted over all nodes; null if there is no limit. */
    publications: 'Rate | null',
  },
  Rate: {
    /** Burst size; refilled evenly over the window. */
    limit: 'number',
    window_seconds: 'number',
    /** Calls that would pass now. */
    remaining: 'number',
  },
  Quotas: {
    /** Publications in service. Null if there is no limit. */
    sites: 'Quota | null',
    /** Bytes of their archives. Null if there is no limit. */
    bytes: 'Quota | null',
  },
  Quota: {
    /** The limit. */
    limit: 'number',
    /** The current use. */
    used: 'number',
  },
  EventList: {
    /** In the requested order. */
    events: 'Event[]',
    /** Ask for the next page with this as `cursor` and the same filters; null on the last page. With order=asc as `after`; never null. */
    next_cursor: 'string | null',
    /** The cursor after each of `events`. */
    cursors: 'string[] | undefined',
  },
  Event: {
    id: 'string',
    /** RFC 3339, UTC, milliseconds. */
    at: 'string',
    type: 'string',
    account: 'string | null',
    /** The publication concerned. */
    pin: 'string | null',
    actor: 'EventActor',
    /** The id of the request. */
    request: 'string | null',
    /** The name that was set or deleted. */
    name: 'string | undefined',
    /** The client’s address, if this service stores addresses. */
    address: 'string | undefined',
  },
  EventActor: {
    kind: 'key | person | operator | system',
    /** The id of the key, or the name of the person. */
    id: 'string | null',
  },
  NameList: {
    /** By name. */
    names: 'Name[]',
    /** Ask for the next page with this as cursor; null on the last page. */
    next_cursor: 'string | null',
  },
  NameAnswer: {
    name: 'Name',
  },
  RuleError: {
    rule: 'string',
    detail: 'string',
    /** The entry of the archive it concerns. */
    path: 'string | undefined',
    limit: 'number | undefined',
    actual: 'number | undefined',
  },
} as const;
