export { isObservable, observe } from './domain/observations.ts';
export { ReferenceSieve } from './domain/reference-sieve.ts';
