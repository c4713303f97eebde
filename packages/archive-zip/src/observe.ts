// What the files of a site contain that deserves a warning, such as broken references and secrets.
export { isObservable, type Observation, observe } from './observe/observe.ts';
export { SitePaths } from './observe/page-references.ts';
export type { ObservationBounds, Reference } from './observe/reference-collector.ts';
export { ReferenceFilter } from './observe/reference-filter.ts';
