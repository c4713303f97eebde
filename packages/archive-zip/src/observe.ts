export { isObservable, type Observation, observe } from './observe/observe.ts';
export type { ObservationBounds, Reference } from './observe/reference-collector.ts';
export { ReferenceSieve } from './observe/reference-sieve.ts';
export { SitePaths } from './observe/site-paths.ts';
