export { isObservable, type Observation, observe } from './observe/observe.ts';
export type { ObservationBounds, Reference } from './observe/reference-collector.ts';
export { ReferenceSieve, SitePaths } from './observe/reference-collector.ts';
