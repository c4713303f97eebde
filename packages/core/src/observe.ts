export type { FollowedReference } from './domain/judge-reference.ts';
export {
  isObservable,
  type Observation,
  type ObservationBounds,
  observe,
  type Reference,
} from './domain/observations.ts';
export { ReferenceSieve } from './domain/reference-sieve.ts';
export { SitePaths } from './domain/site-paths.ts';
