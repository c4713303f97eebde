export { type Names, PinfoldClient } from './client.ts';
export type { EventsOptions, ReadEvent } from './events.ts';
export type {
  Archive,
  ArchiveOptions,
  CallOptions,
  CheckOptions,
  ClientOptions,
  ListOptions,
  PageQuery,
  Published,
  PublishOptions,
} from './options.ts';
export { type Failure, PinfoldError } from './pinfold-error.ts';
export type { Retry } from './retry-schedule.ts';
export type * from './wire.ts';
