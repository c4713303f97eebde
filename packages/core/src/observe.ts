export { isObservable, type ObservationBounds, observe } from './domain/observations.ts';
export { ReferenceSieve } from './domain/reference-sieve.ts';
export { SitePaths } from './domain/site-paths.ts';
