export {
  isObservable,
  type Observation,
  type ObservationBounds,
  observe,
  type Reference,
} from './observe/observe.ts';
export { ReferenceSieve } from './observe/reference-sieve.ts';
export { SitePaths } from './observe/site-paths.ts';
