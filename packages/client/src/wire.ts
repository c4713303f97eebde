import type { Wire } from './wire-objects.ts';

/** A publication, as the API answers it. */
export type Pin = Wire<'Pin'>;
/** A problem of a site that is allowed, but disappoints viewers. A later server may have more rules. */
export type Warning = Wire<'Warning'>;
/** One error of a request or an archive. */
export type RuleError = Wire<'RuleError'>;
/** The answer of `GET` and `PATCH` of a publication. */
export type PinAnswer = Wire<'PinAnswer'>;
/** A URL that opens a protected site without its password. */
export type Grant = Wire<'Grant'>;
/** The answer of a new grant. */
export type GrantAnswer = Wire<'GrantAnswer'>;
/** Views of one day (UTC). */
export type DayOfViews = Wire<'DayOfViews'>;
/** The answer of `GET` of a publication; it has `views` if the request includes them. */
export type ViewedPinAnswer = Wire<'ViewedPinAnswer'>;
/** A link of the account that shows one of its publications. */
export type Name = Wire<'Name'>;
/** The answer of `GET` and `PUT` of a name. */
export type NameAnswer = Wire<'NameAnswer'>;
/** One page of names. */
export type NameList = Wire<'NameList'>;
/** The answer of a publication. */
export type Publication = Wire<'Publication'>;
/** The answer of a dry run. */
export type DryRun = Wire<'DryRun'>;
/** One page of a list. */
export type PinList = Wire<'PinList'>;
/** The actor of an event: a key by its id, a person or an operator by name, the system by its node. */
export type EventActor = Wire<'EventActor'>;
/** Something that happened to an account or a publication. A later server may have more types. */
export type Event = Wire<'Event'>;
/** Limits of archives and texts. */
export type Limits = Wire<'Limits'>;
/** A rate in force. */
export type Rate = Wire<'Rate'>;
/** A quota in force. */
export type Quota = Wire<'Quota'>;
/** The answer of `GET /api/v1/limits`; null: unlimited. */
export type LimitsAnswer = Wire<'LimitsAnswer'>;

/** The one thing that an update changes. */
export type Change =
  | { readonly title: string | null }
  | { readonly password: string | null }
  | { readonly reset_expiration: true };
