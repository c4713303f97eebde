/** A publication, as the API answers it. */
export interface Pin {
  readonly id: string;
  readonly title: string | null;
  readonly state: 'published' | 'expired' | 'deleted';
  readonly shared_url: string;
  readonly password_protected: boolean;
  readonly pinned: boolean;
  readonly published_at: string;
  readonly expires_at: string | null;
  readonly deleted_at: string | null;
  readonly file_count: number;
  readonly size: number;
  readonly original_filename: string;
}

/** Something about a site that is allowed and disappoints viewers. A later server may have more rules. */
export interface Warning {
  readonly rule: string;
  readonly detail: string;
  readonly path?: string;
}

/** One of the things that are wrong with a request or an archive. */
export interface RuleError {
  readonly rule: string;
  readonly detail: string;
  readonly path?: string;
  readonly limit?: number;
  readonly actual?: number;
}

/** The answer of `GET` and `PATCH` of a publication. */
export interface PinAnswer {
  readonly pin: Pin;
}

/** A URL that opens a protected site without its password. */
export interface Grant {
  /** Valid for one minute and for anyone who has it; the shared URL if the site is not protected. */
  readonly url: string;
  /** When the viewing grant ends that the URL becomes. */
  readonly expires_at: string;
}

/** The answer of a new grant. */
export interface GrantAnswer {
  readonly grant: Grant;
}

/** Views of one day (UTC). */
export interface DayOfViews {
  readonly day: string;
  readonly views: number;
  readonly refused_passwords: number;
}

/** The answer of `GET` of a publication; `views` is there where it was asked for. */
export interface ViewedPinAnswer extends PinAnswer {
  readonly views?: readonly DayOfViews[];
}

/** A link of the account that shows one of its publications. */
export interface Name {
  readonly name: string;
  /** The URL that viewers use; the same until the name is deleted. */
  readonly url: string;
  /** The id of the publication that it shows. */
  readonly pin: string;
  readonly updated_at: string;
}

/** The answer of `GET` and `PUT` of a name. */
export interface NameAnswer {
  readonly name: Name;
}

/** One page of names. */
export interface NameList {
  readonly names: readonly Name[];
  readonly next_cursor: string | null;
}

/** The answer of a publication. */
export interface Publication extends PinAnswer {
  readonly warnings: readonly Warning[];
  /** The name that was given, as it is now; null if it was deleted since. */
  readonly name?: Name | null;
}

/** The answer of a dry run. */
export interface DryRun {
  readonly pin: null;
  readonly archive: { readonly file_count: number; readonly size: number };
  readonly warnings: readonly Warning[];
}

/** One page of a list. */
export interface PinList {
  readonly pins: readonly Pin[];
  readonly next_cursor: string | null;
}

/** Who did something: a key by its id, a person or an operator by name, the system by its node. */
export interface EventActor {
  readonly kind: 'key' | 'person' | 'operator' | 'system';
  readonly id: string | null;
}

/** Something that happened to an account or a publication. A later server may have more types. */
export interface Event {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly account: string | null;
  readonly pin: string | null;
  readonly actor: EventActor;
  /** The id of the request. */
  readonly request: string | null;
  readonly address?: string;
  /** Of events of a name. */
  readonly name?: string;
}

/** One page of the feed of events. */
export interface EventPage {
  readonly events: readonly Event[];
  readonly next_cursor: string;
  /** The cursor after each of the events. */
  readonly cursors?: readonly string[];
}

/** Limits of archives and texts. */
export interface Limits {
  readonly archive_bytes: number;
  readonly expanded_bytes: number;
  readonly files: number;
  readonly file_bytes: number;
  readonly title_characters: number;
  readonly idempotency_key_characters: number;
  readonly password_min_characters: number;
  readonly password_max_bytes: number;
  readonly lifetime_days: number;
}

/** A rate in force. */
export interface Rate {
  readonly limit: number;
  readonly window_seconds: number;
  readonly remaining: number;
}

/** A quota in force. */
export interface Quota {
  readonly limit: number;
  readonly used: number;
}

/** The answer of `GET /api/v1/limits`; null stands where there is no bound. */
export interface LimitsAnswer {
  readonly limits: Limits;
  readonly rates: { readonly requests: Rate | null; readonly publications: Rate | null };
  readonly quotas: { readonly sites: Quota | null; readonly bytes: Quota | null };
}

/** The one thing that an update changes. */
export type Change =
  | { readonly title: string | null }
  | { readonly password: string | null }
  | { readonly reset_expiration: true };
